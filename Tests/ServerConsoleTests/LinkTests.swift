import Chunking
import CloudModel
import CloudProtocol
import CloudStorage
import ContainerLog
import Foundation
import HTTPCloud
import NIOHTTP1
import ServerStorage
import ServerSupport
import Testing

/// Tests published links over HTTP, without signing in.
@Suite("Published links", .timeLimit(.minutes(10)))
struct LinkTests {
    private let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }

    private func publish(
        _ device: TestDevice, _ bytes: [UInt8], name: String = "Übersicht 1.pdf", seconds: Int64 = 600,
        password: String? = nil
    ) async throws -> (link: NewLink, path: String) {
        let content = try await device.upload(bytes)
        let link = try await device.backend.publish(
            Publication(
                content: content, name: try ItemName(name), container: .cloudDocs, seconds: seconds, password: password)
        )
        return (link, String(link.url[try #require(link.url.firstRange(of: "/p/")).lowerBound...]))
    }

    @Test("anyone gets the bytes under their name and type, complete and in parts")
    func parts() async throws {
        try await withServer { server in
            let device = try await server.device()
            let (_, path) = try await publish(device, bytes)
            let whole = try await server.request(.GET, path)
            #expect(whole.status == 200 && whole.body == bytes)
            #expect(whole["Content-Type"] == "application/pdf")
            #expect(
                whole["Content-Disposition"]
                    == "attachment; filename=\"_bersicht 1.pdf\"; filename*=UTF-8''%C3%9Cbersicht%201.pdf")
            let tag = try #require(whole["ETag"])
            for (field, range) in [
                ("bytes=0-0", 0..<1), ("bytes=262143-262145", 262_143..<262_146), ("bytes=699000-", 699_000..<700_000),
                ("bytes=-5", 699_995..<700_000),
            ] {
                let part = try await server.request(.GET, path, headers: [("Range", field), ("If-Range", tag)])
                #expect(part.status == 206 && part.body == Array(bytes[range]), "\(field)")
                #expect(part["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/700000")
            }
            let beyond = try await server.request(.GET, path, headers: [("Range", "bytes=700000-")])
            #expect(beyond.status == 416 && beyond["Content-Range"] == "bytes */700000")
            let head = try await server.request(.HEAD, path)
            #expect(head.status == 200 && head["Content-Length"] == "700000" && head.body.isEmpty)
            #expect(try await server.request(.GET, path, headers: [("If-None-Match", tag)]).status == 304)
        }
    }

    @Test("a link keeps serving the published content when the document is edited and deleted")
    func unchanged() async throws {
        try await withServer { server in
            let device = try await server.device()
            let item = try await device.write("a.txt", "first")
            let content = try #require(try await device.item(item)?.body.content?.reference)
            let link = try await device.backend.publish(
                Publication(
                    content: content, name: try ItemName("a.txt"), container: .cloudDocs, seconds: 60, password: nil))
            try await device.edit(item, "second", base: content)
            let path = String(link.url.dropFirst(server.url.count))
            #expect(try await server.request(.GET, path).text == "first")
            #expect(try await device.backend.links().map(\.name) == ["a.txt"])
        }
    }

    @Test(
        "a browser gets a page titled by the document's name, which shows passive documents and offers all for download"
    )
    func page() async throws {
        try await withServer { server in
            let device = try await server.device()
            let accept = [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")]
            let pages = [
                ("a <b>.pdf", nil), ("photo.png", "<img"), ("x.txt", "<iframe class=\"preview text\" sandbox"),
                ("x.html", nil),
                ("x.svg", nil), ("song.ogg", "<audio"), ("film.mp4", "<video"),
            ]
            for (name, preview) in pages {
                let (_, path) = try await publish(device, bytes, name: name)
                let page = try await server.request(.GET, path, headers: accept)
                let title = name.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
                #expect(page.text.contains("<title>\(title)</title>"), "\(page.text)")
                #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src 'self'") == true)
                #expect(page["X-Robots-Tag"] == "noindex")
                for tag in ["<img", "<iframe", "<audio", "<video"] {
                    #expect(page.text.contains(tag) == (preview?.hasPrefix(tag) ?? false), "\(name) \(tag)")
                }
                let link = try #require(page.text.firstMatch(of: /href="([^"]*)" download/)?.1)
                let content = try await server.request(.GET, "/p/\(link)", headers: accept)
                #expect(content.status == 200 && content.body == bytes)
                let part = try await server.request(.GET, path, headers: accept + [("Range", "bytes=0-0")])
                #expect(part.status == 206, "a continued download")
            }
            let (_, locked) = try await publish(device, bytes, name: "secret name.txt", password: "open sesame")
            let asked = try await server.request(.GET, locked, headers: accept)
            #expect(!asked.text.contains("secret name") && asked.text.contains("autocomplete=\"current-password\""))
            let right = try await server.request(.POST, locked, body: "password=open+sesame")
            let cookie = String(try #require(right["Set-Cookie"]?.split(separator: ";").first))
            let opened = try await server.request(.GET, locked, headers: accept + [("Cookie", cookie)])
            #expect(opened.text.contains("<title>secret name.txt</title>"))
        }
    }

    @Test("a published picture and a published text are shown in a browser, under the document's name")
    func shown() async throws {
        try await withServer { server in
            let device = try await server.device()
            let dot = try #require(
                Data(
                    base64Encoded:
                        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
                ))
            let (_, picture) = try await publish(device, Array(dot), name: "dot.png")
            let (_, text) = try await publish(device, Array("a text".utf8), name: "notes.txt")
            try await Browser.with { browser in
                try await browser.open(server.url + picture)
                #expect(try await browser.run("return document.title") == "dot.png")
                #expect(try await browser.run("return document.querySelector('img').naturalWidth") == "1")
                try await browser.open(server.url + text)
                #expect(try await browser.run("return document.title") == "notes.txt")
                try await browser.screenshot("link")
            }
        }
    }

    @Test("expired, withdrawn and unknown links get identical responses")
    func absent() async throws {
        try await withServer { server in
            let device = try await server.device()
            let (_, over) = try await publish(device, [1], seconds: 60)
            let (link, withdrawn) = try await publish(device, [2], seconds: 600)
            server.time.advance(by: .seconds(61))
            try await device.backend.withdrawLink(link.id)
            var random = SystemRandomNumberGenerator()
            let never = CloudRoutes.published(LinkToken.random(using: &random))
            var answers: [String] = []
            for path in [over, withdrawn, never] {
                let answer = try await server.request(.GET, path)
                #expect(answer.status == 404)
                let fields = answer.headers.filter { $0.name.lowercased() != "date" }.map { "\($0.name): \($0.value)" }
                answers.append(fields.sorted().joined(separator: "\n") + answer.text)
            }
            #expect(Set(answers).count == 1)
            #expect(try await device.backend.links().isEmpty)
            await #expect(throws: CloudError.self) { try await device.backend.withdrawLink(link.id) }
        }
    }

    @Test("a protected link requires its password, by the form or by basic authentication (RFC 7617)")
    func password() async throws {
        try await withServer { server in
            let device = try await server.device()
            let (_, path) = try await publish(device, Array("secret".utf8), password: "open sesame")
            let program = try await server.request(.GET, path)
            #expect(program.status == 401 && program["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
            let browser = try await server.request(.GET, path, headers: [("Accept", "text/html")])
            #expect(browser.status == 403 && browser.text.contains("type=\"password\""))
            func basic(_ text: String) -> [(String, String)] {
                [("Authorization", "Basic \(Data(text.utf8).base64EncodedString())")]
            }
            #expect(try await server.request(.GET, path, headers: basic("x:wrong")).status == 401)
            #expect(try await server.request(.GET, path, headers: basic("x:open sesame")).text == "secret")
            #expect(try await server.request(.POST, path, body: "password=wrong").status == 403)
            let right = try await server.request(.POST, path, body: "password=open+sesame")
            #expect(right.status == 303)
            let cookie = try #require(right["Set-Cookie"]?.split(separator: ";").first)
            #expect(right["Set-Cookie"]?.contains("HttpOnly") == true)
            #expect(try await server.request(.GET, path, headers: [("Cookie", String(cookie))]).text == "secret")
            let (_, other) = try await publish(device, Array("other".utf8), password: "another")
            #expect(try await server.request(.GET, other, headers: [("Cookie", String(cookie))]).status == 401)
        }
    }

    @Test("attempts at passwords and at addresses are limited")
    func guessing() async throws {
        try await withServer { server in
            let device = try await server.device()
            let (_, path) = try await publish(device, [1], password: "p")
            var tried: [UInt] = []
            for number in 0..<7 {
                tried.append(try await server.request(.POST, path, body: "password=\(number)").status)
            }
            #expect(tried == [403, 403, 403, 403, 403, 429, 429])
            var random = SystemRandomNumberGenerator()
            var looked: [UInt] = []
            for _ in 0..<7 {
                let path = CloudRoutes.published(LinkToken.random(using: &random))
                looked.append(try await server.request(.GET, path).status)
            }
            #expect(looked == [404, 404, 404, 404, 404, 429, 429])
        }
    }

    @Test("a missing document, or another account's, cannot be published; no account sees or ends another's links")
    func foreign() async throws {
        try await withServer { server in
            let anna = try await server.device(of: "anna")
            let berta = try await server.device(of: "berta")
            let content = try await anna.upload([1, 2, 3])
            let publication = Publication(
                content: content, name: try ItemName("a"), container: .cloudDocs, seconds: 60, password: nil)
            await #expect(throws: CloudError.self) { try await berta.backend.publish(publication) }
            let link = try await anna.backend.publish(publication)
            #expect(try await berta.backend.links().isEmpty)
            await #expect(throws: CloudError.self) { try await berta.backend.withdrawLink(link.id) }
            #expect(try await anna.backend.links().map(\.id) == [link.id])
        }
    }

    @Test("a hostile document runs nowhere: it is saved, in a sandbox, under no other type")
    func hostile() async throws {
        try await withServer { server in
            let device = try await server.device()
            let (_, path) = try await publish(device, Array("<script>alert(1)</script>".utf8), name: "x\"\r\n.html")
            let answer = try await server.request(.GET, path)
            #expect(answer["Content-Disposition"]?.hasPrefix("attachment;") == true)
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Content-Security-Policy"]?.contains("sandbox") == true)
        }
    }

    @Test("damaged chunks are never sent, and are requested again")
    func damaged() async throws {
        try await withServer { server in
            let device = try await server.device()
            let (_, path) = try await publish(device, Array(repeating: 1, count: 100))
            let chunk = Digest.of(Array(repeating: 1, count: 100))
            let digits = chunk.description
            let folder = "\(server.folder)/chunks/1/\(digits.prefix(2))"
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            var bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: URL(filePath: "\(folder)/\(file)"))
            let answer = try? await server.request(.GET, path)
            #expect(answer?.body.count != 100)
            #expect(try await device.backend.missing([chunk], in: .cloudDocs) == [chunk])
        }
    }

    @Test("the database contains neither addresses nor passwords")
    func hashed() async throws {
        try await withServer { server in
            let device = try await server.device()
            let (link, _) = try await publish(device, [1], password: "open sesame")
            let token = try #require(link.url.split(separator: "/").last)
            #expect(try await server.store.links.page(of: AccountID(1), from: 0, limit: 9).total == 1)
            for suffix in ["", "-wal"] {
                let file = try Data(contentsOf: URL(filePath: "\(server.folder)/server.sqlite\(suffix)"))
                #expect(file.range(of: Data(token.utf8)) == nil)
                #expect(file.range(of: Data("open sesame".utf8)) == nil)
            }
        }
    }
}
