import CloudModel
import CloudProtocol
import CloudStorage
import Foundation
import Glibc
import HTTPCloud
import Logging
import TestSupport
import Testing

extension EndToEnd {
    /// All bodies together have 256 MiB of a server's memory (docs/SERVER.md, Bounds); the server needs far less for everything else.
    @Suite("Memory use of a server")
    struct ServerMemoryTests {
        private static let clients = 96
        private static let body = 16 << 20
        /// A third of the clients' total uploads or downloads.
        private static let bound = 512 << 20

        @Test("memory stays bounded while many clients send large bodies that never end, and others are served")
        func slowSenders() async throws {
            try await ServerProcess.with { server in
                let hungry = try await Client(server)
                let head = hungry.head("PUT", "chunks/\(String(repeating: "a", count: 64))", length: Self.body)
                let connections = try (0..<Self.clients).map { _ in try RawConnection(port: server.port) }
                defer { for connection in connections { connection.close() } }
                let taken = try await offPool {
                    for connection in connections { try connection.send(Array(head.utf8)) }
                    // The last byte is never sent.
                    return try RawConnection.pour(Self.body - 1, into: connections)
                }
                #expect(taken > Self.bound / 8, "the server took \(taken) bytes only: nothing was tried")
                let other = try await Client(server, account: "berta")
                #expect(try await other.backend.append([1], to: .cloudDocs).value == 1)
                #expect(try server.peakMemory() < Self.bound)
            }
        }

        @Test("memory stays bounded while many clients request large chunks and read one byte of each")
        func slowReaders() async throws {
            try await ServerProcess.with { server in
                let hungry = try await Client(server)
                let frame = [UInt8](repeating: 7, count: Self.body)
                let id = Digest(words: (.max, 1, 2, 3))
                try await hungry.backend.putChunk(id, frame: frame, in: .cloudDocs)
                let connections = try (0..<Self.clients).map { _ in try RawConnection(port: server.port) }
                defer { for connection in connections { connection.close() } }
                try await offPool {
                    for connection in connections {
                        try connection.send(Array(hungry.head("GET", "chunks/\(id)").utf8))
                    }
                }
                let answered = try await offPool { try RawConnection.firstBytes(of: connections) }
                #expect(answered > 0)
                let other = try await Client(server, account: "berta")
                #expect(try await other.backend.append([1], to: .cloudDocs).value == 1)
                #expect(try server.peakMemory() < Self.bound)
            }
        }

        /// A signed-in device with one container, and the head of its own raw requests.
        private struct Client {
            let token: String
            let backend: HTTPBackend

            init(_ server: ServerProcess, account: String = "anna") async throws {
                let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let address = try ServerAddress(server.url)
                if account != "anna" { _ = try server.command(["account", "add", account]) }
                let connection = ServerConnection(address: address, logger: quiet) { nil }
                let code = try server.code(of: account)
                let token = try await connection.signIn(code: code, device: "test").token
                self.token = token
                backend = HTTPBackend(address: address, logger: quiet) { token }
                _ = try await backend.connect(create: true)
                try await backend.createContainer(.cloudDocs)
            }

            func head(_ method: String, _ path: String, length: Int = 0) -> String {
                """
                \(method) /v1/containers/CloudDocs/\(path) HTTP/1.1\r
                Host: x\r
                Authorization: Bearer \(token)\r
                Ubiquity-Protocol: 1\r
                Content-Length: \(length)\r
                \r

                """
            }
        }
    }
}

/// Runs blocking code on a separate thread.
private func offPool<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}
