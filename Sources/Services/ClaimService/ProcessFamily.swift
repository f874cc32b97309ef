import Glibc

/// Which programs a program was started by, as the kernel and its environment show.
enum ProcessFamily {
    /// The process of a thread, and those above it, the nearest first. A process whose parent has ended is not found below it any more.
    static func ancestors(of thread: Int32) -> [Int32] {
        var found: [Int32] = []
        var next = thread
        // Deeper families are loops of a table that changes while it is read.
        while next > 1, found.count < 64, let status = read("/proc/\(next)/status", limit: 4096) {
            guard let process = number("Tgid:", in: status), let parent = number("PPid:", in: status) else { break }
            found.append(process)
            next = parent
        }
        return found
    }

    /// The claim in which `ubiquity coordinate` started it, whatever its parent is by now: the daemon's number.
    static func surroundingClaim(of thread: Int32) -> UInt64? {
        guard let environment = read("/proc/\(thread)/environ", limit: 256 << 10) else { return nil }
        let prefix = Array("UBIQUITY_COORDINATION=".utf8)
        let entry = environment.split(separator: 0).first { $0.starts(with: prefix) }
        return entry?.split(separator: UInt8(ascii: ":")).last.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }

    /// The number behind a word of proc_pid_status(5).
    private static func number(_ word: String, in status: [UInt8]) -> Int32? {
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: word.utf8) }
        let digits = line?.dropFirst(word.utf8.count).filter { $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: " ") }
        return digits.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Nil for what is gone, or is another user's.
    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit, case let count = Glibc.read(descriptor, &page, page.count), count > 0 {
            bytes += page[..<count]
        }
        return bytes.isEmpty ? nil : bytes
    }
}
