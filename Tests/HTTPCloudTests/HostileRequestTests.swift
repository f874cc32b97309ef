import CloudModel
import CloudProtocol
import CloudStorage
import Foundation
import Glibc
import HTTPCloud
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Hostile requests", .timeLimit(.minutes(10)))
struct HostileRequestTests {
    private func request(
        _ server: TestServer, _ method: String, _ path: String, token: String? = nil, version: String? = "1",
        fields: String = "", body: String = ""
    ) async throws -> String {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)"
        if let token { text += "Authorization: Bearer \(token)\r\n" }
        if let version { text += "\(CloudProtocolVersion.header): \(version)\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        return String(decoding: try await talk(server, Array((text + "\r\n" + body).utf8)), as: UTF8.self)
    }

    private func expect(_ answer: String, _ code: CloudFailure.Code, sourceLocation: SourceLocation = #_sourceLocation)
    {
        #expect(answer.hasPrefix("HTTP/1.1 \(code.status) "), "\(answer)", sourceLocation: sourceLocation)
        #expect(answer.contains("\"code\":\"\(code.rawValue)\""), "\(answer)", sourceLocation: sourceLocation)
    }

    @Test("without a token everything below /v1 is refused, whatever the path")
    func noToken() async throws {
        try await withServer { server in
            for path in ["/v1/cloud", "/v1/containers", "/v1/space", "/v1/news", "/v1/containers/CloudDocs/log"] {
                expect(try await request(server, "GET", path), .unauthorized)
                expect(
                    try await request(server, "GET", path, token: "ubq_1_\(String(repeating: "0", count: 64))"),
                    .unauthorized
                )
            }
        }
    }

    @Test("another account's container and chunk look like ones that do not exist")
    func foreignAccount() async throws {
        try await withServer { server in
            let anna = try await server.device(of: "anna")
            let notes = try #require(ContainerName("notes"))
            try await anna.createContainer(notes)
            let id = ChunkID(words: (1, 2, 3, 4))
            try await anna.putChunk(id, frame: [1], in: notes)
            let token = try await server.token(of: "berta")
            _ = try await server.backend(token).connect(create: true)
            let other = try await request(server, "GET", CloudRoutes.chunk(id, in: notes), token: token)
            let absent = try #require(ContainerName("other"))
            let none = try await request(server, "GET", CloudRoutes.chunk(id, in: absent), token: token)
            expect(other, .notFound)
            let date = /Date: [^\r]*\r\n/
            #expect(other.replacing(date, with: "").replacing("notes", with: "other") == none.replacing(date, with: ""))
        }
    }

    @Test("an invalid request is refused as such, and the server keeps working")
    func senseless() async throws {
        try await withServer { server in
            let token = try await server.token()
            _ = try await server.backend(token).connect(create: true)
            let log = "/v1/containers/CloudDocs/log"
            expect(try await request(server, "GET", log, token: token, version: nil), .invalidRequest)
            expect(try await request(server, "GET", log, token: token, version: "2"), .clientTooNew)
            expect(try await request(server, "GET", log, token: token), .notFound)
            expect(try await request(server, "GET", "\(log)?after=-1", token: token), .invalidRequest)
            expect(try await request(server, "GET", "/v1/containers/..%2f/log", token: token), .invalidRequest)
            expect(try await request(server, "GET", "/v1/containers/a/chunks/zz", token: token), .invalidRequest)
            expect(try await request(server, "GET", "/v1/nothing", token: token), .notFound)
            expect(
                try await request(server, "POST", "/v1/containers/CloudDocs/missing", token: token, body: "\u{1}\u{5}"),
                .invalidRequest)
            expect(
                try await request(server, "POST", log, token: token, fields: "\(AppendKey.header): 1\r\n", body: "x"),
                .invalidRequest)
            let large = "Content-Length: 999999999999\r\n"
            expect(try await request(server, "POST", log, token: token, fields: large), .tooLarge)
            #expect(try await request(server, "GET", "/health", version: nil).contains("\"status\":\"ok\""))
        }
    }

    @Test("a code cannot be guessed quickly")
    func guessing() async throws {
        try await withServer { server in
            let body = #"{"code":"AAAA-AAAA-AAAA-AAAA","device":"d"}"#
            var answers: [String] = []
            // The server's clock runs meanwhile: a slow machine may make more attempts than the burst of five.
            repeat {
                answers.append(try await request(server, "POST", "/v1/sign-in", body: body))
            } while answers.last?.hasPrefix("HTTP/1.1 401") == true && answers.count < 100
            #expect(answers.count > 5)
            let last = try #require(answers.last)
            #expect(last.hasPrefix("HTTP/1.1 429") && last.lowercased().contains("retry-after"), "\(last)")
        }
    }

    @Test("random bytes, and requests with random bytes in them, do not harm the server")
    func noise() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        try await withServer { server in
            var generator = SeededGenerator(seed: seed)
            let token = try await server.token()
            let head =
                "POST /v1/containers/CloudDocs/chunks HTTP/1.1\r\nAuthorization: Bearer \(token)\r\n\(CloudProtocolVersion.header): 1\r\n"
            for _ in 0..<150 {
                var bytes = Array("\(head)Content-Length: 40\r\nConnection: close\r\n\r\n".utf8) + generator.bytes(40)
                for _ in 0..<generator.number(0..<6) {
                    bytes[generator.number(0..<bytes.count)] = generator.bytes(1)[0]
                }
                if generator.chance(30) { bytes = generator.bytes(generator.number(1..<300)) }
                _ = try await talk(server, bytes, isPatient: false)
            }
            #expect(try await request(server, "GET", "/health", version: nil).contains("\"status\":\"ok\""))
        }
    }
}

/// Sends bytes over a new connection and returns the server's output until it closes the connection. Without patience,
/// the sending side is shut down immediately. Runs on a separate thread, because the server in this process needs the
/// tasks' threads.
func talk(_ server: TestServer, _ bytes: [UInt8], isPatient: Bool = true) async throws -> [UInt8] {
    let port = try server.port
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Result { try converse(port, bytes, isPatient) })
        }
    }
}

private func converse(_ port: Int, _ bytes: [UInt8], _ isPatient: Bool) throws -> [UInt8] {
    let descriptor = try Loopback.connect(to: port)
    defer { close(descriptor) }
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    // A truncated request gets no response: the shutdown makes the server see its end.
    if !isPatient { shutdown(descriptor, Int32(SHUT_WR)) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return answer }
        answer += buffer.prefix(count)
    }
}
