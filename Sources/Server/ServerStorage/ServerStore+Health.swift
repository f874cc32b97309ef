import Basics
import CloudProtocol
import Glibc

extension ServerStore {
    /// Checks that the server can store something: makes a commit and a file, and syncs both. Throws the reason if that fails.
    package func checkHealth() async throws {
        guard try await isDurable() else {
            throw StorageError(.failed, "Commits are not synced to the disk; start the server again.")
        }
        let now = accounts.now()
        try await database.commit { db in
            try db.execute("INSERT OR REPLACE INTO health VALUES (1, ?)", [now])
        }
        try await threads.blocking { [directory] in try directory.tryFile() }
    }

    /// Returns the token that gives access to the metrics. It is made at the first start, in a file that only its owner can read.
    package func metricsToken() async throws -> String {
        try await threads.blocking { [directory] in try directory.metricsToken() }
    }
}

extension DataDirectory {
    /// Writes a file as chunks are written.
    func tryFile() throws {
        let path = "\(temporary)/health-\(getpid())"
        let descriptor = try check("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
        defer {
            close(descriptor)
            unlink(path)
        }
        try writeAll([UInt8](repeating: 1, count: 4_096)) { write(descriptor, $0.baseAddress, $0.count) }
        try check("fsync") { fsync(descriptor) }
    }

    func metricsToken() throws -> String {
        let path = "\(self.path)/metrics-token"
        if let token = try readLine(of: path) { return token }
        var random = SystemRandomNumberGenerator()
        let token = Hex.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
        try DurableFile(path, temporary: "\(temporary)/metrics-token").replace(with: Array("\(token)\n".utf8))
        return token
    }

    /// Returns the line of a file; nil if the file is absent or empty.
    private func readLine(of path: String) throws -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw Errno(errno, "open \(path)") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = try check("read") { read(descriptor, &buffer, buffer.count) }
        let line = String(decoding: buffer.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}
