import Basics
import CloudProtocol
import Glibc

extension ServerStore {
    /// Checks that the server can store something, with a commit and a file or an object. Throws the reason if that
    /// fails. Together they reveal whether the database went back, but that is no failure.
    @discardableResult
    package func checkHealth() async throws -> SetBack {
        guard try await isDurable() else {
            throw StorageError(.failed, "Commits are not synced to the disk; start the server again.")
        }
        try await generations.look()
        try await ahead.refresh()
        return try await setBack()
    }

    /// Returns the access token for the metrics, creating it on first use: in a file readable only by its owner, or in
    /// a cluster's database.
    package func metricsToken() async throws -> String {
        guard sharedAttempts == nil else { return Hex.encode(try await secrets.value(.metrics)) }
        return try await threads.blocking { [directory] in try directory.metricsToken() }
    }
}

extension DataDirectory {
    private var generationFile: String { "\(path)/generation" }

    /// Writes a file as chunks are written.
    func keep(generation: Int64) throws {
        try DurableFile(generationFile, temporary: "\(temporary)/generation-\(getpid())")
            .replace(with: GenerationText.bytes(of: generation))
    }

    func generation() throws -> Int64? {
        try readLine(of: generationFile).flatMap { GenerationText.generation(in: Array("\($0)\n".utf8)) }
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
        let line = String(decoding: buffer.prefix(count).prefix { $0 >= 0x20 }, as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}
