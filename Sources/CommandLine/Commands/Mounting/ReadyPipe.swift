import Basics
import Glibc

/// The pipe through which a new daemon reports its readiness.
struct ReadyPipe: ~Copyable {
    /// The number of the descriptor in the daemon.
    static let inheritedDescriptor: Int32 = 3

    private let reader: Int32
    let writer: Int32

    static func open() throws(Errno) -> ReadyPipe {
        var ends: [Int32] = [-1, -1]
        try check("pipe") { pipe(&ends) }
        // The number is above the inherited one, since a dup2 onto itself would leave close-on-exec set.
        let writer = try check("fcntl") { fcntl(ends[1], F_DUPFD_CLOEXEC, Self.inheritedDescriptor + 1) }
        close(ends[1])
        try check("fcntl") { fcntl(ends[0], F_SETFD, FD_CLOEXEC) }
        return ReadyPipe(reader: ends[0], writer: writer)
    }

    private init(reader: Int32, writer: Int32) {
        self.reader = reader
        self.writer = writer
    }

    /// Closes this side's writer, so the stream ends with the daemon.
    func closeWriter() { close(writer) }

    /// Reads the next bytes; empty at the end. Throws ETIMEDOUT if nothing arrives within `patience`.
    func read(patience: Duration) throws(Errno) -> ArraySlice<UInt8> {
        var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(patience / .milliseconds(1))
        guard try check("poll", { poll(&entry, 1, milliseconds) }) > 0 else {
            throw Errno(ETIMEDOUT, "waiting for the daemon")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try check("read") { Glibc.read(reader, &buffer, buffer.count) }
        return buffer[..<count]
    }

    deinit { close(reader) }
}

/// Splits bytes into lines.
package struct LineSplitter {
    private var pending: [UInt8] = []

    package init() {}

    /// Appends bytes and returns the lines completed by them, without their terminators.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [String] {
        pending.append(contentsOf: bytes)
        guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = pending[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        defer { pending.removeFirst(end + 1) }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    /// Returns the text after `prefix`; nil if the text does not start with it.
    func removing(prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
