/// A cheap estimate of compressibility, to skip photos and archives.
enum Compressibility {
    private static let sample = 16 << 10
    /// zstd's fast levels skip ahead in data without repetitions: a sample takes about ten microseconds.
    private static let level: Int32 = -3

    /// Returns false if samples of the start and the middle hardly shrink. Below four samples, compressing everything costs no more than
    /// sampling.
    static func isWorthTrying(_ plain: UnsafeRawBufferPointer) -> Bool {
        guard plain.count >= 64 else { return false }
        guard plain.count >= 4 * sample else { return true }
        return [0, plain.count / 2].contains { start in
            let part = UnsafeRawBufferPointer(rebasing: plain[start..<start + sample])
            return Zstandard.compress(part, level: level, header: [], limit: sample - sample / 32) != nil
        }
    }
}
