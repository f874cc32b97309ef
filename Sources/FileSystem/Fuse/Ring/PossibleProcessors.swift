import Basics
import Glibc

/// The machine's possible processors, and so the number of queues expected by the kernel. sysconf(3) may return fewer,
/// and with a queue too few the kernel would hold all requests forever.
enum PossibleProcessors {
    static func count() throws(Errno) -> Int {
        let path = "/sys/devices/system/cpu/possible"
        guard let count = count(in: try readFile(path)) else { throw Errno(EINVAL, "read \(path)") }
        return count
    }

    /// Parses a list such as `0-3,8`, at most 8,192 processors; nil if it is invalid.
    static func count(in text: [UInt8]) -> Int? {
        var sum = 0
        for range in text.prefix(while: { $0 != UInt8(ascii: "\n") }).split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        {
            let ends = range.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
                .map { UInt16(String(decoding: $0, as: UTF8.self)) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last, last < 8192 else {
                return nil
            }
            sum += Int(last - first) + 1
        }
        return sum <= 8192 ? sum : nil
    }
}
