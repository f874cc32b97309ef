import Basics
import CloudModel
import CloudProtocol
import CloudServer
import Foundation
import Glibc
import HTTPCloud
import ServerSupport
import TestSupport
import Testing

@Suite("Requests that make no progress", .timeLimit(.minutes(10)))
struct SlowRequestTests {
    @Test("many clients that send one byte at a time are disconnected, and meanwhile all other clients are served")
    func slowLoris() async throws {
        try await withServer(configure: { $0.idleSeconds = 2 }) { server in
            let port = try server.port
            let token = try await server.token()
            let head = "POST /v1/containers/CloudDocs/log HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
            let begun = ["GET /health HT", head, "\(head)Ubiquity-Protocol: 1\r\nContent-Length: 1000\r\n\r\nabc"]
            let descriptors = try (0..<90).map { try open(port, sending: begun[$0 % 3]) }
            defer { for descriptor in descriptors { close(descriptor) } }
            let device = try await server.device()
            #expect(try await device.append([1], to: .cloudDocs).value == 1)
            let ended = try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try descriptors.filter { try ends($0) }.count }) }.start()
            }
            #expect(ended == 90)
        }
    }

    private func open(_ port: Int, sending text: String) throws -> Int32 {
        let descriptor = try Loopback.connect(to: port)
        guard send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count else {
            close(descriptor)
            throw Errno(errno, "send")
        }
        return descriptor
    }

    /// Whether the server closes the connection within a minute, a client's patience.
    private func ends(_ descriptor: Int32) throws -> Bool {
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
            if count < 0 { return false }
        }
    }
}
