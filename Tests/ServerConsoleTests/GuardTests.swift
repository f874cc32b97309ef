import CloudModel
import Foundation
import NIOHTTP1
import ServerStorage
import ServerSupport
import Testing

/// Tests access control in the console, without a browser.
@Suite("Access control of the console", .timeLimit(.minutes(10)))
struct GuardTests {
    @Test("without a session every page redirects to the sign-in, and posts have no effect")
    func noSession() async throws {
        try await withServer { server in
            let device = try await server.device()
            let item = try await device.write("a.txt", "a")
            for path in [
                "", "c/CloudDocs", "c/CloudDocs/i/\(item)", "c/CloudDocs/i/\(item)/content/2.0", "devices", "transfers",
                "links", "security",
            ] {
                let answer = try await server.request(.GET, "/console/\(path)")
                #expect(answer.status == 303 && answer["Location"]?.hasSuffix("sign-in") == true, "\(path)")
            }
            let post = try await server.request(.POST, "/console/c/CloudDocs/i/\(item)/delete", body: "seen=9")
            #expect(post.status == 303)
            #expect(try await device.item(item) != nil)
            #expect(try await server.request(.GET, "/console/events").status == 401)
        }
    }

    @Test("a form without the session's token, or from another site, changes nothing")
    func forged() async throws {
        try await withServer { server in
            let device = try await server.device()
            let item = try await device.write("a.txt", "a")
            let session = try await server.session()
            let other = try await server.session()
            let path = "/console/c/CloudDocs/i/\(item)/delete"
            let shown = try await server.page("devices", other).text
            let foreign = try #require(shown.firstMatch(of: /name="token" value="(\w+)"/)?.1)
            let own = try #require(
                try await server.page("devices", session).text.firstMatch(of: /name="token" value="(\w+)"/)?.1)
            for body in ["seen=9", "seen=9&token=", "seen=9&token=\(foreign)"] {
                #expect(try await server.request(.POST, path, headers: [("Cookie", session)], body: body).status == 400)
            }
            let crossSite = try await server.request(
                .POST, path, headers: [("Cookie", session), ("Sec-Fetch-Site", "cross-site")],
                body: "seen=9&token=\(own)")
            #expect(crossSite.status == 400)
            #expect(try await device.item(item) != nil)
            let right = try await server.request(
                .POST, path, headers: [("Cookie", session)], body: "seen=9&token=\(own)")
            #expect(right.status == 303)
            #expect(try await device.item(item) == nil)
        }
    }

    @Test("the sign-in accepts a code once, only from our own form, with a limited number of attempts")
    func signIn() async throws {
        try await withServer { server in
            let code = try await server.code()
            let form = try await server.request(.GET, "/console/sign-in")
            let cookie = try #require(form["Set-Cookie"]?.split(separator: ";").first.map(String.init))
            let token = try #require(form.text.firstMatch(of: /name="token" value="(\w+)"/)?.1)
            let bare = try await server.request(.POST, "/console/sign-in", body: "token=\(token)&code=\(code)")
            #expect(bare.status == 400)
            func post(_ code: String) async throws -> TestServer.Answer {
                try await server.request(
                    .POST, "/console/sign-in", headers: [("Cookie", cookie)], body: "token=\(token)&code=\(code)")
            }
            let entered = try await post("\(code)")
            #expect(entered.status == 303)
            let session = try #require(entered["Set-Cookie"])
            #expect(session.contains("HttpOnly") && session.contains("SameSite=Strict") && !session.contains("Secure"))
            let home = try await server.page("", String(try #require(session.split(separator: ";").first)))
            #expect(home.status == 200)
            #expect(home["Content-Security-Policy"]?.contains("default-src 'none'") == true)
            #expect(home["Content-Security-Policy"]?.contains("unsafe") == false)
            var statuses: [UInt] = []
            for _ in 0..<6 { statuses.append(try await post("\(code)").status) }
            #expect(statuses == [422, 422, 422, 422, 429, 429])
        }
    }

    @Test("behind a TLS proxy the cookie is for encrypted connections only")
    func secure() async throws {
        try await withServer { server in
            let answer = try await server.request(.GET, "/console/sign-in", headers: [("X-Forwarded-Proto", "https")])
            #expect(answer["Set-Cookie"]?.contains("; Secure") == true)
        }
    }

    @Test("a session ends a week after its last use, or at sign-out")
    func sessionEnds() async throws {
        try await withServer { server in
            let (idle, ended) = (try await server.session(), try await server.session())
            #expect(try await server.page("", ended).status == 200)
            _ = try await server.post("sign-out", from: "", ended)
            #expect(try await server.page("", ended).status == 303)
            server.time.advance(by: .seconds(6 * 86_400))
            #expect(try await server.page("", idle).status == 200)
            server.time.advance(by: .seconds(8 * 86_400))
            #expect(try await server.page("", idle).status == 303)
        }
    }

    @Test("another account's containers, documents, devices and links look the same as missing ones")
    func foreign() async throws {
        try await withServer { server in
            let anna = try await server.device("annas laptop", of: "anna")
            let item = try await anna.write("private.txt", "private")
            let session = try await server.session(of: "berta")
            for path in [
                "c/CloudDocs", "c/CloudDocs/i/\(item)", "c/CloudDocs/i/\(item)/content/2.0", "c/CloudDocs/storage",
            ] {
                let answer = try await server.page(path, session)
                #expect(answer.status == 404 && !answer.text.contains("private"), "\(path)")
            }
            #expect(!(try await server.page("devices", session).text.contains("annas")))
            _ = try await server.post("devices/\(anna.number)/revoke", from: "devices", session)
            #expect(try await anna.item(item) != nil)
        }
    }

    @Test(
        "a deletion does not affect items added after the page was shown, and a conflict that was not shown is not resolved"
    )
    func stale() async throws {
        try await withServer { server in
            let device = try await server.device()
            let session = try await server.session()
            let folder = try await device.makeFolder("Folder")
            try await device.write("seen.txt", "seen", in: folder)
            let page = "c/CloudDocs/i/\(folder)/delete"
            let seen = try #require(
                try await server.page(page, session).text.firstMatch(of: /name="seen" value="(\d+)"/)?.1)
            try await device.write("later.txt", "later", in: folder)
            _ = try await server.post(page, "seen=\(seen)", from: page, session)
            #expect(try await device.names(in: folder) == ["later.txt"])
            let item = try await device.write("a.txt", "a")
            let wrong = try await server.post(
                "c/CloudDocs/i/\(item)/resolve", "keep=current&seen=1.0", from: "devices", session)
            #expect(wrong.status == 409)
        }
    }

    @Test("resetting a container requires its name, and then empties it for all devices")
    func reset() async throws {
        try await withServer { server in
            let device = try await server.device()
            let session = try await server.session()
            let folder = try await device.makeFolder("Folder")
            for number in 0..<20 { try await device.write("\(number).txt", "x", in: folder) }
            let seen = try #require(
                try await server.page("c/CloudDocs/reset", session).text.firstMatch(of: /name="seen" value="(\d+)"/)?.1)
            let path = "c/CloudDocs/reset"
            #expect(try await server.post(path, "seen=\(seen)&word=other", from: path, session).status == 400)
            #expect(try await device.names(in: folder).count == 20)
            _ = try await server.post(path, "seen=\(seen)&word=CloudDocs", from: path, session)
            #expect(try await device.names() == [])
        }
    }

    @Test("storage is listed document by document, and the remainder as one line")
    func storage() async throws {
        try await withServer { server in
            let device = try await server.device()
            let session = try await server.session()
            try await device.write("small.txt", "12345")
            let package = try await device.makeFolder("Talk.key")
            _ = try await device.write(ItemName("slides"), Array(repeating: 7, count: 2_000), in: package)
            _ = try await device.write(ItemName("images"), Array(repeating: 8, count: 1_000), in: package)
            _ = try await device.write(ItemName("state.db"), Array(repeating: 9, count: 400), in: .root)
            let text = try await server.page("c/CloudDocs/storage", session).text
            #expect(text.contains("value=\"3000\"") && text.contains("value=\"5\"") && text.contains("value=\"3405\""))
            let rest = try #require(text.firstRange(of: "Everything else"))
            #expect(text[rest.upperBound...].contains("value=\"400\""))
            #expect(!text.contains("slides") && !text.contains("state.db"))
        }
    }
}
