import Chunking
import CloudModel
import CloudProtocol
import CloudServer
import CloudStorage
import HTTPTransport
import S3Client
import S3Double
import ServerSupport
import TestSupport
import Testing

@testable import HTTPCloud

@Suite("Chunks are downloaded from the server's bucket itself", .timeLimit(.minutes(5)))
struct DirectDownloadTests {
    private let id: ChunkID
    private let frame: [UInt8]

    init() {
        var random = SeededGenerator(seed: 1)
        let plain = random.bytes(200_000)
        (id, frame) = (.of(plain), ChunkFrame.encode(plain))
    }

    /// Runs `body` with a device of a server with chunks in a bucket.
    private func withDevice(
        isDirect: Bool = true, _ body: @escaping @Sendable (S3Double, HTTPBackend) async throws -> Void
    ) async throws {
        let credentials = try #require(S3Credentials(accessKey: "KEY", secretKey: "secret"))
        let double = S3Double(credentials: credentials)
        try await double.serve { location in
            let bucket = try S3Client(location, region: nil, transport: HTTPConnections(), logger: quiet) {
                credentials
            }
            try await withServer(bucket: bucket, configure: { $0.directDownloads = isDirect }) { server in
                try await body(double, server.device())
            }
        }
    }

    private func gets(_ double: S3Double) -> [S3Double.Seen] {
        double.seen.filter { $0.method == "GET" && $0.key.hasPrefix("chunks/") }
    }

    @Test("a large chunk comes by a link, a small one through the server")
    func direct() async throws {
        try await withDevice { double, device in
            try await device.putChunk(id, frame: frame, in: .cloudDocs)
            let whole = try await device.getChunk(id, in: .cloudDocs)
            #expect(whole == frame)
            #expect(gets(double).map(\.isLink) == [true])
            let small = ChunkID(words: (5, 6, 7, 8))
            try await device.putChunk(small, frame: [1, 2, 3], in: .cloudDocs)
            let bytes = try await device.getChunk(small, in: .cloudDocs)
            #expect(bytes == [1, 2, 3])
            #expect(gets(double).map(\.isLink) == [true, false])
        }
    }

    @Test("a server sends chunks itself unless its owner chose links")
    func indirect() async throws {
        try await withDevice(isDirect: false) { double, device in
            try await device.putChunk(id, frame: frame, in: .cloudDocs)
            let whole = try await device.getChunk(id, in: .cloudDocs)
            #expect(whole == frame)
            #expect(gets(double).map(\.isLink) == [false])
        }
    }

    @Test(
        "after a link that cannot be used, chunks come through the server, and no more links are requested for a while")
    func unusable() async throws {
        let head = "\(CloudProtocolVersion.header): \(CloudProtocolVersion.current)\r\n"
        let redirect =
            "HTTP/1.1 307 Temporary Redirect\r\n\(head)Location: http://127.0.0.1:1/x?y\r\nContent-Length: 0\r\n\r\n"
        let whole = "HTTP/1.1 200 OK\r\n\(head)Content-Length: 5\r\n\r\nframe"
        try await withCannedServer([redirect, whole]) { address, requests in
            let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
            for _ in 0..<2 {
                let bytes = try await backend.getChunk(id, in: .cloudDocs)
                #expect(bytes == Array("frame".utf8))
            }
            let asked = requests.all.map { $0.lowercased().contains("\(DirectDownload.header.lowercased()): 1") }
            #expect(asked == [true, false, false])
        }
    }

    @Test("other bytes behind a link count as its failure: the server is asked for the chunk")
    func otherBytes() async throws {
        for wrong in ["<html>Sign in</html>", "UbCk\u{1}\u{0}\u{5}other"] {
            let page = "HTTP/1.1 200 OK\r\nContent-Length: \(wrong.utf8.count)\r\n\r\n\(wrong)"
            try await withCannedServer([page]) { place, _ in
                let head = "\(CloudProtocolVersion.header): \(CloudProtocolVersion.current)\r\n"
                let redirect =
                    "HTTP/1.1 307 Temporary Redirect\r\n\(head)Location: \(place)/x?y=z\r\nContent-Length: 0\r\n\r\n"
                let right = "UbCk\u{1}\u{0}\u{5}frame"
                let whole = "HTTP/1.1 200 OK\r\n\(head)Content-Length: 12\r\n\r\n\(right)"
                try await withCannedServer([redirect, whole]) { address, _ in
                    let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
                    let bytes = try await backend.getChunk(.of(Array("frame".utf8)), in: .cloudDocs)
                    #expect(bytes == Array(right.utf8))
                }
            }
        }
    }

    @Test(
        "a link into a private network is not followed, unless the server is there",
        arguments: [
            "127.0.0.1", "127.1", "2130706433", "localhost", "x.localhost", "[::1]", "10.1.2.3", "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "100.64.0.1", "LOCALHOST",
            "localhost.",
        ])
    func privateNetworks(_ host: String) throws {
        let response = HTTPResponse(status: 307, headers: [("Location", "https://\(host):8443/x?y")])
        #expect(throws: UnusableLink.self) { try DirectLink(response, from: ServerAddress("https://server.example")) }
        #expect(try DirectLink(response, from: ServerAddress("https://192.168.1.9")) != nil)
        let other = HTTPResponse(status: 307, headers: [("Location", "https://bucket.example/x")])
        #expect(try DirectLink(other, from: ServerAddress("https://server.example")) != nil)
    }

    @Test("the token is not sent to the bucket")
    func secrets() async throws {
        let bucket = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nUbCk\u{1}\u{0}\u{5}frame"
        try await withCannedServer([bucket]) { place, seen in
            let head = "\(CloudProtocolVersion.header): \(CloudProtocolVersion.current)\r\n"
            let redirect =
                "HTTP/1.1 307 Temporary Redirect\r\n\(head)Location: \(place)/x?y=z\r\nContent-Length: 0\r\n\r\n"
            try await withCannedServer([redirect]) { address, _ in
                let backend = HTTPBackend(address: address, logger: quiet) { "ubq_1_00" }
                let bytes = try await backend.getChunk(.of(Array("frame".utf8)), in: .cloudDocs)
                #expect(bytes == Array("UbCk\u{1}\u{0}\u{5}frame".utf8))
            }
            let request = try #require(seen.all.first)
            #expect(request.hasPrefix("GET /x?y=z HTTP/1.1\r\n"))
            #expect(!request.contains("ubq_1_00") && !request.lowercased().contains("ubiquity"))
        }
    }

    @Test(
        "an address that is none, that holds credentials, or that is not encrypted although the server's is, is not followed",
        arguments: [
            "", "ftp://h/x", "/x", "https://user:secret@h/x", "https://h/a b", "https://h/\u{7F}",
            "https://h/" + String(repeating: "x", count: 9_000), "http://h/x",
        ])
    func refused(url: String) throws {
        let response = HTTPResponse(status: 307, headers: [("Location", url)])
        let address = try ServerAddress("https://server.example")
        #expect(throws: UnusableLink.self) { try DirectLink(response, from: address) }
    }

    @Test("a link without TLS is followed where the server is reached without TLS; other responses have no link")
    func accepted() throws {
        let response = HTTPResponse(status: 307, headers: [("Location", "http://h/x?y=%20z")])
        #expect(try DirectLink(response, from: ServerAddress("http://127.0.0.1"))?.url == "http://h/x?y=%20z")
        let other = HTTPResponse(status: 200, headers: [("Location", "http://h/x")])
        #expect(try DirectLink(other, from: ServerAddress("http://127.0.0.1")) == nil)
    }

    @Test("links are requested again ten minutes after one could not be used")
    func policy() {
        var policy = DirectLinkPolicy()
        let now = ContinuousClock.now
        #expect(policy.isAllowed(at: now))
        policy.noteFailure(at: now)
        #expect(!policy.isAllowed(at: now + .seconds(599)) && policy.isAllowed(at: now + .seconds(600)))
    }
}
