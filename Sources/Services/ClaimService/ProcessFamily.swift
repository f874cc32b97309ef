import Glibc

/// Finds a program's ancestors, from the kernel and the program's environment.
enum ProcessFamily {
    /// Returns a thread's process and its ancestors, the nearest first. A process whose parent has ended is no longer
    /// listed below it.
    static func ancestors(of thread: Int32) -> [Int32] {
        var found: [Int32] = []
        var next = thread
        // A deeper family indicates a table changed during the read and forming a loop.
        while next > 1, found.count < 64, let status = read("/proc/\(next)/status", limit: 4096) {
            guard let process = number("Tgid:", in: status), let parent = number("PPid:", in: status) else { break }
            found.append(process)
            next = parent
        }
        return found
    }

    /// Returns the claim of the enclosing `ubiquity coordinate`, whatever the process's parent is by now. The number is
    /// the daemon's.
    static func surroundingClaim(of thread: Int32) -> UInt64? {
        guard let environment = read("/proc/\(thread)/environ", limit: 256 << 10) else { return nil }
        let prefix = Array("UBIQUITY_COORDINATION=".utf8)
        let entry = environment.split(separator: 0).first { $0.starts(with: prefix) }
        return entry?.split(separator: UInt8(ascii: ":")).last.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the number after a keyword of proc_pid_status(5).
    private static func number(_ word: String, in status: [UInt8]) -> Int32? {
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: word.utf8) }
        let digits = line?.dropFirst(word.utf8.count).filter { $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: " ") }
        return digits.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Reads a process's file; nil if the process is gone, or belongs to another user.
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
