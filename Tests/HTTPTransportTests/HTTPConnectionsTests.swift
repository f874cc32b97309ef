import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Requests over HTTP", .timeLimit(.minutes(5)))
struct HTTPConnectionsTests {
    private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    private func get(
        _ server: ScriptedServer, _ connections: HTTPConnections = HTTPConnections(),
        within limit: Duration = .seconds(60)
    ) async throws -> HTTPResponse { try await connections.send(HTTPRequest("GET", server.url), within: limit) }

    @Test("a response is its final head and its body; what precedes and follows them is ignored")
    func response() async throws {
        let server = try ScriptedServer { connection, _, _ in
            connection.send("HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            connection.send(
                "HTTP/1.1 418 Teapot\r\nX-One:  a b \r\nx-one: second\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n"
            )
            connection.send("5\r\nhello\r\n6\r\n world\r\n0\r\nX-Late: 1\r\n\r\n")
            return true
        }
        let response = try await get(server)
        #expect(response.status == 418)
        #expect(response.header("X-ONE") == "a b")
        #expect(response.header("X-Early") == nil)
        #expect(response.header("Link") == nil)
        #expect(try await response.body.collect(upTo: 11) == [UInt8]("hello world".utf8))
        #expect(response.header("X-Late") == nil)
    }

    @Test(
        "the connection of a response that is not from the requested server is closed",
        arguments: [
            ("200 OK", "Server-Mark", 2), ("507 Insufficient Storage", "Server-Mark", 2), ("200 OK", nil, 1),
            ("404 Not Found", nil, 1), ("302 Found", nil, 2), ("511 Network Authentication Required", nil, 2),
        ])
    func foreign(status: String, mark: String?, expected: Int) async throws {
        let server = try ScriptedServer { connection, _, number in
            let head = number == 1 ? "HTTP/1.1 \(status)\r\n" : "HTTP/1.1 200 OK\r\nServer-Mark: 1\r\n"
            connection.send(head + "Content-Length: 2\r\n\r\nok")
            return true
        }
        let connections = HTTPConnections()
        for _ in 0..<3 {
            var request = HTTPRequest("GET", server.url)
            request.mark = mark
            let response = try await connections.send(request, within: .seconds(60))
            #expect(try await response.body.collect(upTo: 2) == [UInt8]("ok".utf8))
        }
        #expect(server.requests.count == 3)
        #expect(server.accepted == expected)
    }

    @Test("a body longer than its reader accepts is an error")
    func tooLong() async throws {
        let server = try ScriptedServer { connection, _, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            return true
        }
        await #expect(throws: HTTPBodyTooLong.self) { try await get(server).body.collect(upTo: 4) }
    }

    @Test("a body is sent as it is, with the headers of the request and no others")
    func upload() async throws {
        let body = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let received = Mutex<[UInt8]>([])
        let server = try ScriptedServer { connection, head, _ in
            if head.hasPrefix("PUT") {
                let bytes = connection.read(body.count)
                received.withLock { $0 = bytes }
            }
            connection.send(Self.empty)
            return true
        }
        let connections = HTTPConnections()
        var put = HTTPRequest("PUT", server.url, body: body)
        put.add("X-Empty", "")
        put.add("Authorization", "Bearer a")
        for request in [put, HTTPRequest("POST", server.url), HTTPRequest("DELETE", server.url)] {
            #expect(try await connections.send(request, within: .seconds(60)).status == 200)
        }
        #expect(received.withLock { $0 } == body)
        let heads = server.requests.map { $0.split(separator: "\r\n").dropFirst().sorted() }
        let host = "Host: \(server.url.dropFirst(7).dropLast())"
        #expect(heads[0].map(String.init) == ["Authorization: Bearer a", "Content-Length: 3000000", host, "X-Empty:"])
        #expect(heads[1].map(String.init) == ["Content-Length: 0", host])
        #expect(heads[2].map(String.init) == [host])
    }

    @Test("a reader that stops holds the server back, and gets everything when it goes on")
    func backPressure() async throws {
        let body = [UInt8](repeating: 7, count: 64 << 20)
        let (held, holds) = AsyncStream.makeStream(of: Int.self)
        let server = try ScriptedServer { connection, _, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            let sent = connection.sendUntilFull(body)
            holds.yield(sent)
            connection.send(Array(body[sent...]))
            return true
        }
        let response = try await get(server)
        var sent = held.makeAsyncIterator()
        #expect(try #require(await sent.next()) < body.count)
        var count = 0
        for try await part in response.body { count += part.count }
        #expect(count == body.count)
    }

    @Test(
        "a cancelled request throws and closes its connection, before the head and inside the body",
        arguments: [false, true])
    func cancellation(inBody: Bool) async throws {
        let (events, event) = AsyncStream.makeStream(of: String.self)
        let server = try ScriptedServer { connection, _, _ in
            if inBody { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello") }
            event.yield("waits")
            connection.waitForEnd()
            event.yield("closed")
            return false
        }
        let connections = HTTPConnections()
        let task = Task {
            let response = try await get(server, connections)
            for try await _ in response.body { event.yield("part") }
        }
        var next = events.makeAsyncIterator()
        #expect(await next.next() == "waits")
        if inBody { #expect(await next.next() == "part") }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await next.next() == "closed")
    }

    @Test("a body that nothing refers to any more closes its connection")
    func dropped() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let server = try ScriptedServer { connection, _, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForEnd()
            end.yield()
            return false
        }
        let connections = HTTPConnections()
        #expect(try await get(server, connections).status == 200)
        var next = ends.makeAsyncIterator()
        #expect(await next.next() != nil)
    }

    @Test(
        "a connection is used again; a request whose connection was closed is not repeated, since it may have been carried out"
    )
    func notRepeated() async throws {
        let server = try ScriptedServer { connection, head, number in
            if number == 1 { connection.send(Self.empty) }
            return number == 1
        }
        let connections = HTTPConnections()
        #expect(try await get(server, connections).status == 200)
        for body in [nil, [1, 2, 3]] as [[UInt8]?] {
            do {
                _ = try await connections.send(HTTPRequest("POST", server.url, body: body), within: .seconds(60))
                Issue.record("there was a response")
            } catch { #expect(ConnectionProblem.description(of: error).contains("closed the connection"), "\(error)") }
        }
        #expect(server.requests.count == 3)
    }

    @Test("a server that sends nothing is an error after the time that the caller gives")
    func late() async throws {
        let server = try ScriptedServer { connection, _, _ in
            connection.waitForEnd()
            return false
        }
        do {
            _ = try await get(server, within: .milliseconds(50))
            Issue.record("there was a response")
        } catch { #expect(ConnectionProblem.description(of: error).contains("sent nothing"), "\(error)") }
    }

    @Test("a head without an end is an error")
    func endlessHead() async throws {
        let server = try ScriptedServer { connection, _, _ in
            connection.send("HTTP/1.1 200 OK\r\n")
            for _ in 0..<1_000 { connection.send("X: \(String(repeating: "a", count: 1_000))\r\n") }
            return false
        }
        await #expect(throws: HTTPFailure.self) { try await get(server) }
    }

    @Test("what is not HTTP is said to be none")
    func notHTTP() async throws {
        let server = try ScriptedServer { connection, _, _ in
            connection.send("220 mail.example ESMTP\r\n")
            return false
        }
        do {
            _ = try await get(server)
            Issue.record("there was a response")
        } catch { #expect(ConnectionProblem.description(of: error).contains("does not speak HTTP"), "\(error)") }
    }

    @Test(
        "a line break in a part of a request is an error, and nothing is sent",
        arguments: ["a\r\nX: 1", "a\nb", "a\u{0}b", "a\u{7f}"])
    func hostileHeaders(text: String) async throws {
        let server = try ScriptedServer { connection, _, _ in
            connection.send(Self.empty)
            return true
        }
        var value = HTTPRequest("GET", server.url)
        value.add("X-Name", text)
        var name = HTTPRequest("GET", server.url)
        name.add(text, "value")
        for request in [value, name, HTTPRequest(text, server.url), HTTPRequest("GET", server.url + text)] {
            await #expect(throws: HTTPFailure.self) { try await HTTPConnections().send(request, within: .seconds(60)) }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("many requests at once all get their own response")
    func many() async throws {
        let server = try ScriptedServer { connection, head, _ in
            let name = head.split(separator: " ")[1]
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(name.utf8.count)\r\n\r\n\(name)")
            return true
        }
        let connections = HTTPConnections()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let request = HTTPRequest("GET", "\(server.url)\(number)")
                    let body = try await connections.send(request, within: .seconds(60)).body.collect(upTo: 100)
                    #expect(String(decoding: body, as: UTF8.self) == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
    }
}
