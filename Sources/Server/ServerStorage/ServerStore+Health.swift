import Basics
import CloudProtocol
import Glibc

extension ServerStore {
    /// Checks that the server can store something: makes a commit, and a file or an object. Throws the reason if that fails.
    package func checkHealth() async throws {
        guard try await isDurable() else {
            throw StorageError(.failed, "Commits are not synced to the disk; start the server again.")
        }
        let now = accounts.now()
        try await database.commit(.statement) { db in
            try db.execute(
                """
                INSERT INTO health ("only", at) VALUES (1, ?) ON CONFLICT ("only") DO UPDATE SET at = excluded.at
                """, [now])
        }
        try await chunks.objects.checkHealth()
    }

    /// Returns the token that gives access to the metrics, which is made when it is first needed: in a file that only its owner can read, or
    /// for a cluster in the database.
    package func metricsToken() async throws -> String {
        guard sharedAttempts == nil else { return Hex.encode(try await secrets.value(.metrics)) }
        return try await threads.blocking { [directory] in try directory.metricsToken() }
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
