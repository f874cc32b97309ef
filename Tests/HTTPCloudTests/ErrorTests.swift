import CloudModel
import CloudProtocol
import CloudStorage
import HTTPCloud
import NIOCore
import NIOPosix
import ServerStorage
import ServerSupport
import Synchronization
import TestSupport
import Testing

@Suite("Errors of requests to a server are distinguished")
struct ErrorTests {
    @Test("a server that cannot be reached is offline")
    func offline() async throws {
        let address = try await withServer { $0.address }
        let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
        await expectCloudError(.offline) { _ = try await backend.connect(create: true) }
    }

    @Test("a missing, a wrong and a revoked token are unauthorized")
    func unauthorized() async throws {
        try await withServer { server in
            let none = HTTPBackend(address: server.address, logger: quiet) { nil }
            await expectCloudError(.unauthorized) { _ = try await none.connect(create: true) }
            let wrong = server.backend("ubq_1_" + String(repeating: "0", count: 64))
            await expectCloudError(.unauthorized) { _ = try await wrong.connect(create: true) }
            let device = try await server.device()
            let number = try #require(try await server.store.devices.list().last?.id)
            #expect(try await server.store.devices.revoke(device: number))
            await expectCloudError(.unauthorized) { _ = try await device.append([1], to: .cloudDocs) }
        }
    }

    @Test("a full quota is an error for chunks; deletions still succeed, so the log can grow")
    func quota() async throws {
        try await withServer { server in
            let device = try await server.device()
            try await server.store.accounts.setQuota(6_000, of: "anna")
            let frame = [UInt8](repeating: 1, count: 600)
            try await device.putChunk(ChunkID(words: (1, 0, 0, 0)), frame: frame, in: .cloudDocs)
            await expectCloudError(.quota) {
                try await device.putChunk(ChunkID(words: (2, 0, 0, 0)), frame: frame, in: .cloudDocs)
            }
            #expect(try await device.append([1], to: .cloudDocs) == LogSequence(1))
            #expect(
                try await device.space()
                    == CloudSpace(total: 6_000, free: 6_000 - UInt64(StorageCost.chunk(600) + StorageCost.entry([1]))))
        }
    }

    @Test("another account's cloud is foreign to a device that has synced with one, whatever its token is")
    func foreign() async throws {
        try await withServer { server in
            let (anna, berta) = (try await server.token(of: "anna"), try await server.token(of: "berta"))
            let box = TokenBox(anna)
            let backend = HTTPBackend(address: server.address, logger: quiet) { box.token }
            _ = try await backend.connect(create: true)
            try await backend.createContainer(.cloudDocs)
            let other = server.backend(berta)
            _ = try await other.connect(create: true)
            try await other.createContainer(.cloudDocs)
            box.token = berta
            await expectCloudError(.foreign) { _ = try await backend.append([1], to: .cloudDocs) }
            await expectCloudError(.foreign) { _ = try await backend.connect(create: false) }
            #expect(try await other.wholeLog(of: .cloudDocs).isEmpty)
        }
    }

    @Test(
        "a server of another version is too new or too old, and a proxy without its server is offline",
        arguments: [
            ("426 Upgrade", "1", CloudFailure(.clientTooOld, "m"), CloudError.Code.tooNew),
            ("426 Upgrade", "1", CloudFailure(.clientTooNew, "m"), .tooOld),
            ("200 OK", "2", nil, .tooNew), ("200 OK", "", nil, .offline), ("502 Bad", "", nil, .offline),
            ("507 Full", "1", CloudFailure(.serverFull, "m"), .quota),
            ("400 Bad", "1", CloudFailure(.invalidRequest, "m"), .failed),
        ] as [(String, String, CloudFailure?, CloudError.Code)])
    func answers(_ status: String, _ version: String, _ failure: CloudFailure?, _ code: CloudError.Code) async throws {
        let body =
            try failure.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) } ?? "{\"identity\":\"a\"}"
        let field = version.isEmpty ? "" : "\(CloudProtocolVersion.header): \(version)\r\n"
        let answer = "HTTP/1.1 \(status)\r\n\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        try await withCannedServer([answer]) { address, _ in
            let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
            await expectCloudError(code) { _ = try await backend.connect(create: false) }
        }
    }

    @Test("no message of a server and no account name sends control sequences to the terminal")
    func hostileText() async throws {
        let escape = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{202E}\n"
        func reply(_ status: String, _ body: [UInt8]) -> String {
            "HTTP/1.1 \(status)\r\n\(CloudProtocolVersion.header): 1\r\nContent-Length: \(body.count)\r\n\r\n"
                + String(decoding: body, as: UTF8.self)
        }
        func isHarmless(_ text: String) -> Bool {
            !text.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }
        }
        let refusal = reply("401 Unauthorized", try WireJSON.encode(CloudFailure(.unauthorized, escape)))
        try await withCannedServer([refusal]) { address, _ in
            let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
            do {
                _ = try await backend.connect(create: false)
                Issue.record("it connected")
            } catch let error as CloudError { #expect(isHarmless(error.message), "\(error.message)") }
        }
        let welcome = reply(
            "200 OK", try WireJSON.encode(SignInResponse(token: "ubq_1_00", account: escape, device: 1)))
        try await withCannedServer([welcome]) { address, _ in
            let connection = ServerConnection(address: address, logger: quiet) { nil }
            let answer = try await connection.signIn(code: "ABCD", device: "laptop")
            #expect(isHarmless(answer.account), "\(answer.account)")
        }
    }

    @Test("a link that a server returns is below its own address")
    func hostileLink() async throws {
        let body = try WireJSON.encode(PublishResponse(id: 1, path: "@evil.example/p/0123456789abcdef", expires: 1))
        let reply =
            "HTTP/1.1 200 OK\r\n\(CloudProtocolVersion.header): 1\r\nContent-Length: \(body.count)\r\n\r\n"
            + String(decoding: body, as: UTF8.self)
        try await withCannedServer([reply]) { address, _ in
            let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
            let content = ContentReference(digest: Digest(words: (1, 2, 3, 4)), size: 1, layout: .chunk)
            await expectCloudError(.damaged) {
                _ = try await backend.publish(
                    Publication(
                        content: content, name: ItemName("a.txt"), container: .cloudDocs, seconds: 60, password: nil))
            }
        }
    }

    @Test("a connection that fails gives the reason: refused, no such host, no TLS")
    func reasons() async throws {
        @Sendable func message(_ address: String) async throws -> String {
            let backend = HTTPBackend(address: try ServerAddress(address), logger: quiet) { "ubq_1_00" }
            do { _ = try await backend.connect(create: false) } catch let error as CloudError { return error.message }
            return ""
        }
        let gone = try await withServer { $0.address }
        #expect(try await message(gone.description).contains("connection refused"))
        #expect(try await message("http://no-such-host.invalid").contains("no host of that name"))
        try await withServer { server in
            let port = server.address.description.dropFirst("http://".count)
            let reason = try await message("https://\(port)")
            #expect(reason.contains("does not speak TLS"))
        }
    }

    @Test("a response that is cut off is resumed where it ended")
    func resume() async throws {
        let head = "\(CloudProtocolVersion.header): 1\r\n"
        let answers = [
            "HTTP/1.1 200 OK\r\n\(head)Content-Length: 10\r\n\r\n01234",
            "HTTP/1.1 206 Partial Content\r\n\(head)Content-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\n56789",
        ]
        try await withCannedServer(answers) { address, requests in
            let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
            let frame = try await backend.getChunk(ChunkID(words: (1, 0, 0, 0)), in: .cloudDocs)
            #expect(frame == Array("0123456789".utf8))
            let ranges = requests.all.flatMap {
                $0.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("range:") }
            }
            #expect(ranges.map { $0.lowercased() } == ["range: bytes=5-"])
        }
    }

    @Test("an append whose response was lost is sent again with its key, and is in the log once")
    func lostReply() async throws {
        let head = "\(CloudProtocolVersion.header): 1\r\n"
        let answers = ["", "HTTP/1.1 200 OK\r\n\(head)Content-Length: 14\r\n\r\n{\"sequence\":7}"]
        try await withCannedServer(answers) { address, requests in
            let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
            let sequence = try await backend.append([1], to: .cloudDocs)
            #expect(sequence == LogSequence(7))
            let keys = requests.all.flatMap { request in
                request.split(separator: "\r\n").filter { $0.hasPrefix("\(AppendKey.header):") }
            }
            #expect(keys.count == 2 && Set(keys).count == 1)
        }
    }
}

final class TokenBox: Sendable {
    private let state: Mutex<String>
    init(_ token: String) { state = Mutex(token) }
    var token: String {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
