import Chunking
import CloudModel
import CloudProtocol
import CloudServer
import CloudStorage
import Foundation
import Glibc
import HTTPCloud
import ServerStorage
import ServerSupport
import TestSupport
import Testing

/// One client's attacks on others, each sent over a raw connection.
@Suite("Hostile clients", .timeLimit(.minutes(10)))
struct WorstClientTests {
    /// A connection for arbitrary bytes.
    private struct Raw: Sendable {
        let descriptor: Int32

        init(_ port: Int, _ text: String, window: Int32? = nil) throws {
            descriptor = try Loopback.connect(to: port)
            if var window {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
            }
            send(text)
        }

        func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

        /// Whether the server has closed the connection. Does not wait.
        var isEnded: Bool {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            return count == 0 || (count < 0 && errno != EAGAIN)
        }

        /// Whether there are unread bytes. Does not wait.
        var hasAnswer: Bool {
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
        }

        /// Whether the server breaks the connection within a minute although the client reads nothing. A broken connection accepts no more
        /// bytes.
        func isBroken() -> Bool {
            for _ in 0..<600 {
                let sent = Glibc.send(descriptor, "x", 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                if sent < 0, errno != EAGAIN { return true }
                var polled = pollfd(fd: descriptor, events: 0, revents: 0)
                if poll(&polled, 1, 100) > 0 { return true }
            }
            return false
        }

        /// Returns the server's output until it closes the connection, or nil if nothing arrives for a minute.
        func readToEnd() -> String? {
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var (all, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4_096))
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0 { return errno == ECONNRESET ? String(decoding: all, as: UTF8.self) : nil }
                if count == 0 { return String(decoding: all, as: UTF8.self) }
                all += buffer.prefix(count)
            }
        }

        /// Waits up to a minute until `count` connections have a response, and returns all responses.
        static func answers(of connections: [Raw], count: Int) -> [String] {
            for _ in 0..<600 where connections.count(where: { $0.hasAnswer }) < count {
                var polled = connections.filter { !$0.hasAnswer }.map {
                    pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
                }
                poll(&polled, nfds_t(polled.count), 100)
            }
            return connections.filter { $0.hasAnswer }.map { $0.readToEnd() ?? "" }
        }

        func close() { Glibc.close(descriptor) }
    }

    private static func head(_ method: String, _ path: String, token: String? = nil, length: Int? = nil) -> String {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: x\r\nUbiquity-Protocol: 1\r\n"
        if let token { text += "Authorization: Bearer \(token)\r\n" }
        if let length { text += "Content-Length: \(length)\r\n" }
        return text + "\r\n"
    }

    @Test("an unexpected body is refused, and neither that nor one that is too large keeps a connection")
    func unread() async throws {
        try await withServer(configure: { $0.unreadPatience = .milliseconds(400) }) { server in
            let port = try server.port
            let requests = [
                Self.head("GET", "/health", length: 1_000_000_000), Self.head("HEAD", "/p/x", length: 1_000),
                "GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
                Self.head("POST", "/nowhere", length: 1_000_000_000),
                Self.head("PUT", "/v1/containers/CloudDocs/chunks/aa", length: 1_000_000_000),
            ]
            let connections = try requests.map { try Raw(port, $0) }
            for connection in connections { connection.send("a") }
            let answers = await offPool { connections.map { $0.readToEnd() } }
            for (request, answer) in zip(requests, answers) {
                #expect(answer?.hasPrefix("HTTP/1.1 4") ?? false, "\(request) \(answer ?? "was not ended")")
            }
            for connection in connections { connection.close() }
        }
    }

    @Test("a client that keeps sending requests and reads no response is disconnected")
    func neverReads() async throws {
        try await withServer(configure: { $0.readerPatience = .milliseconds(500) }) { server in
            let port = try server.port
            let many = String(repeating: Self.head("GET", "/console/style.css"), count: 4_000)
            // A small receive window, soon full.
            let connections = try (0..<4).map { _ in try Raw(port, many, window: 4_096) }
            for connection in connections { #expect(await offPool { connection.isBroken() }) }
            for connection in connections { connection.close() }
        }
    }

    @Test(
        "a request that a proxy may read in another way is refused, and nothing behind an unknown coding is taken for a request",
        arguments: [
            ("GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", "400"),
            (
                "POST /v1/reset HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\nGET /health/live HTTP/1.1\r\nHost: x\r\n\r\n",
                "400"
            ),
            ("GET //health//live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404"),
            ("GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "200"),
        ])
    func ambiguous(_ text: String, _ status: String) async throws {
        try await withServer { server in
            let connection = try Raw(server.port, text)
            let answer = await offPool { connection.readToEnd() } ?? ""
            connection.close()
            #expect(answer.ranges(of: "HTTP/1.1 ").count == 1 && answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        }
    }

    @Test(
        "every one of a thousand requests that were sent at once is answered, in order, and the connection still works")
    func pipelined() async throws {
        try await withServer { server in
            let head = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
            let other = "GET /console/live.js HTTP/1.1\r\nHost: x\r\n\r\n"
            let last = "GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let connection = try Raw(
                server.port,
                String(repeating: head, count: 500) + String(repeating: other, count: 3)
                    + String(repeating: head, count: 500) + last)
            let text = await offPool { connection.readToEnd() } ?? ""
            connection.close()
            let answers = text.ranges(of: "HTTP/1.1 ").map { text[$0.upperBound...].prefix(3) }
            #expect(answers.count == 1_004 && answers.dropLast().allSatisfy { $0 == "200" } && answers.last == "404")
            let scripts = text.ranges(of: "text/javascript")
            #expect(scripts.count == 3)
        }
    }

    @Test("more idle connections than the limit keep no client out")
    func held() async throws {
        try await withServer(configure: { $0.maximumConnections = 48 }) { server in
            let port = try server.port
            let device = try await server.device()
            let begun = ["GET /health HT", "", Self.head("POST", "/v1/sign-in", length: 1_000)]
            let connections = try (0..<150).map { try Raw(port, begun[$0 % 3]) }
            defer { for connection in connections { connection.close() } }
            for number in UInt8(1)...5 { _ = try await device.append([number], to: .cloudDocs) }
            // Not /health, which also depends on the storage's speed.
            let fresh = try Raw(port, "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let answer = await offPool { fresh.readToEnd() }
            #expect(answer?.hasPrefix("HTTP/1.1 200 ") ?? false, "\(answer ?? "was not ended")")
            fresh.close()
            let other = try await server.device(of: "berta")
            #expect(try await other.append([1], to: .cloudDocs).value == 1)
        }
    }

    @Test("bodies that were announced and not sent take no memory from others")
    func announced() async throws {
        try await withServer { server in
            let port = try server.port
            let victim = try await server.device(of: "victim")
            let id = ChunkID(words: (9, 9, 9, 9))
            try await victim.putChunk(id, frame: [UInt8](repeating: 1, count: 10), in: .cloudDocs)
            var connections: [Raw] = []
            defer { for connection in connections { connection.close() } }
            for account in ["mallory", "trudy"] {
                _ = try await server.device(of: account)
                let token = try await server.token(of: account)
                for number in 0..<40 {
                    let digits = String(repeating: String(number % 10), count: 64)
                    let path = "/v1/containers/CloudDocs/chunks/\(digits)"
                    connections.append(try Raw(port, Self.head("PUT", path, token: token, length: 16 << 20) + "a"))
                }
            }
            // While these connections stay open, none of their memory has been released.
            let found = try await victim.getChunk(id, in: .cloudDocs)
            let large = ChunkID(words: (8, 8, 8, 8))
            try await victim.putChunk(large, frame: [UInt8](repeating: 1, count: 8 << 20), in: .cloudDocs)
            #expect(found.count == 10)
            #expect(connections.allSatisfy { !$0.isEnded })
        }
    }

    @Test("a manifest with a wrong size is refused, and is read again for no account")
    func bomb() async throws {
        try await withServer { server in
            let device = try await server.device()
            let plain = [UInt8](repeating: 1, count: 64 << 10)
            let entries = Array(repeating: ChunkEntry(id: Digest.of(plain), length: plain.count), count: 100_000)
            let encoded = Manifest(entries).encoded()
            try await device.putChunk(Digest.of(plain), frame: ChunkFrame.encode(plain), in: .cloudDocs)
            try await device.putChunk(Digest.of(encoded), frame: ChunkFrame.encode(encoded), in: .cloudDocs)
            let token = try await server.token()
            func publish(size: Int) async throws -> String {
                let body =
                    #"{"digest":"\#(Digest.of(encoded))","size":\#(size),"layout":2,"name":"a","seconds":60}"#
                let head = Self.head(
                    "POST", "/v1/containers/CloudDocs/links", token: token, length: body.utf8.count)
                let raw = try Raw(
                    server.port, head.replacing("Host: x\r\n", with: "Host: x\r\nConnection: close\r\n") + body)
                defer { raw.close() }
                return await offPool { raw.readToEnd() } ?? ""
            }
            #expect(try await publish(size: plain.count * 100_000 - 1).hasPrefix("HTTP/1.1 400 "))
            let published = try await publish(size: plain.count * 100_000)
            let path = try #require(published.firstMatch(of: /"path":"(\/p\/[a-z0-9]+)"/)?.1)
            let reads = server.store.chunks.manifestReads
            // A HEAD reads nothing, many ranges share a read, and an address may have only a few concurrent requests.
            let port = try server.port
            let requests = (0..<20).map { number in
                "\(number % 2 == 0 ? "GET" : "HEAD") \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nRange: bytes=0-9\r\n\r\n"
            }
            let raws = try requests.map { try Raw(port, $0) }
            let answers = await offPool { raws.map { $0.readToEnd() ?? "" } }
            for raw in raws { raw.close() }
            #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 2") || $0.hasPrefix("HTTP/1.1 429 ") })
            #expect(
                answers.contains {
                    $0.hasPrefix("HTTP/1.1 206 ") && $0.hasSuffix("\r\n\r\n" + String(repeating: "\u{1}", count: 10))
                })
            #expect(server.store.chunks.manifestReads <= reads + 1)
        }
    }

    @Test("passwords of many links of one account are hashed one at a time, and delay no other account's storage")
    func passwords() async throws {
        try await withServer(passwordCost: .standard) { server in
            let port = try server.port
            let victim = try await server.device(of: "victim")
            let id = ChunkID(words: (9, 9, 9, 9))
            try await victim.putChunk(id, frame: [UInt8](repeating: 1, count: 10), in: .cloudDocs)
            _ = try await server.device()
            let token = try await server.token()
            let body = #"{"digest":"\#(Digest.ofNothing)","size":0,"layout":0,"name":"a","seconds":60,"password":"p"}"#
            let head = Self.head("POST", "/v1/containers/CloudDocs/links", token: token, length: body.utf8.count)
                .replacing("Host: x\r\n", with: "Host: x\r\nConnection: close\r\n")
            let raws = try (0..<60).map { _ in try Raw(port, head + body) }
            defer { for raw in raws { raw.close() } }
            _ = try await victim.getChunk(id, in: .cloudDocs)
            let waiting = raws.count { !$0.isEnded && !$0.hasAnswer }
            // Nine passwords are being derived or wait; the server refuses all others immediately, without a wait in
            // the test.
            let busy = await offPool { Raw.answers(of: raws, count: 40) }.count { $0.hasPrefix("HTTP/1.1 429 ") }
            #expect(busy >= 30)
            #expect(waiting > 0, "the links were made before another request was answered")
        }
    }

    @Test("every response has the security headers for browsers, with HSTS where a trusted proxy reports TLS")
    func fields() async throws {
        let proxies = ["127.0.0.1"].compactMap { AddressRange($0) }
        try await withServer(configure: {
            $0.trustedProxies = proxies
            $0.securityContact = "mailto:security@example.org"
        }) { server in
            func answer(_ path: String, _ fields: String = "") async throws -> String {
                let raw = try Raw(server.port, "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n")
                defer { raw.close() }
                return await offPool { raw.readToEnd() } ?? ""
            }
            for path in ["/health", "/console/sign-in", "/console/style.css", "/p/x", "/nowhere", "/v1/cloud"] {
                let text = try await answer(path).lowercased()
                #expect(text.contains("content-security-policy: default-src 'none'"), "\(path) \(text)")
                #expect(text.contains("x-content-type-options: nosniff"), "\(path)")
                #expect(!text.contains("strict-transport-security"), "\(path)")
                let encrypted = try await answer(path, "X-Forwarded-Proto: https\r\n").lowercased()
                #expect(encrypted.contains("strict-transport-security: max-age="), "\(path)")
            }
            let text = try await answer("/.well-known/security.txt")
            #expect(text.contains("Contact: mailto:security@example.org\nExpires: 20"))
        }
    }
}

/// Runs a blocking function on a separate thread.
private func offPool<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in Thread { continuation.resume(returning: body()) }.start() }
}
