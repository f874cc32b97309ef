import Basics
import CloudModel
import CloudProtocol
import CloudServer
import Foundation
import NIOHTTP1
import ServerStorage
import ServerSupport
import Testing

/// Tests the pages on which owners manage accounts.
@Suite("The pages of owners", .timeLimit(.minutes(10)))
struct OwnerTests {
    /// The routes of owners, for the account of the given number.
    private func routes(_ server: TestServer, _ number: Int64) -> [(method: HTTPMethod, path: String)] {
        CloudServer(server.store, CloudServerConfiguration(), log: quiet).routes
            .filter { $0.contains(" /console/accounts") }
            .map { route in
                let parts = route.split(separator: " ")
                let path = parts[1].replacing("{number}", with: "\(number)").replacing("/console/", with: "")
                return (HTTPMethod(rawValue: String(parts[0])), String(path))
            }
    }

    private func number(_ name: String, _ server: TestServer) async throws -> Int64 {
        try await server.store.accounts.account(named: name).value
    }

    private func owner(_ server: TestServer) async throws -> String {
        let session = try await server.session(of: "anna")
        try await server.store.accounts.setOwner(true, of: "anna")
        return session
    }

    @Test("every route of owners looks absent to all others, and changes nothing; a lost mark counts immediately")
    func absent() async throws {
        try await withServer { server in
            _ = try await owner(server)
            let session = try await server.session(of: "ben")
            let before = try await server.store.accounts.list()
            let routes = routes(server, try await number("anna", server))
            #expect(routes.count == 8)
            for (method, path) in routes {
                for cookie in [session, ""] {
                    let answer =
                        method == .GET
                        ? try await server.page(path, cookie)
                        : try await server.request(
                            .POST, "/console/\(path)", headers: [("Cookie", cookie)],
                            body: "token=\(try await token(server, session))&quota=1G&name=eve")
                    #expect(answer.status == (cookie.isEmpty ? 303 : 404), "\(method) \(path): \(answer.status)")
                    #expect(!answer.text.contains("anna"), "\(path)")
                }
            }
            #expect(!(try await server.page("devices", session).text.contains("Accounts")))
            let after = try await server.store.accounts.list()
            #expect(after.map(\.name) == before.map(\.name) && after.map(\.quota) == before.map(\.quota))
            #expect(after.allSatisfy { !$0.isDisabled })
            try await server.store.accounts.setOwner(true, of: "ben")
            #expect(try await server.page("accounts", session).status == 200)
            #expect(try await server.page("devices", session).text.contains("Accounts"))
            try await server.store.accounts.setOwner(false, of: "ben")
            #expect(try await server.page("accounts", session).status == 404)
            #expect(try await server.post("accounts", "name=eve", from: "devices", session).status == 404)
        }
    }

    private func token(_ server: TestServer, _ session: String) async throws -> String {
        let page = try await server.page("devices", session).text
        return String(try #require(page.firstMatch(of: /name="token" value="(\w+)"/)?.1))
    }

    @Test("a form of an owner without the session's token changes nothing")
    func forged() async throws {
        try await withServer { server in
            let session = try await owner(server)
            _ = try await server.device(of: "ben")
            let before = try await server.store.accounts.list().map(\.name)
            for (method, path) in routes(server, try await number("ben", server)) where method == .POST {
                for headers in [[("Cookie", session)], [("Cookie", session), ("Sec-Fetch-Site", "cross-site")]] {
                    let token = headers.count > 1 ? try await token(server, session) : "0"
                    let answer = try await server.request(
                        .POST, "/console/\(path)", headers: headers, body: "token=\(token)&name=eve&quota=1G")
                    #expect(answer.status == 400, "\(path)")
                }
            }
            let after = try await server.store.accounts.list()
            #expect(after.map(\.name) == before && after.allSatisfy { !$0.isDisabled && $0.quota == nil })
        }
    }

    @Test("an owner adds an account, sets quotas, creates codes, disables an account and enables it again")
    func manage() async throws {
        try await withServer { server in
            let session = try await owner(server)
            let name = "Tom & \"Jerry\" O'Neil"
            let form = "name=\(try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics)))&quota="
            let added = try await server.post("accounts", form + "2G", from: "accounts", session)
            let code = try #require(added.text.firstMatch(of: /id="new-code">([A-Z0-9-]+)</)?.1, "\(added.text)")
            #expect(added.text.contains("ubiquity login \(server.url) --code \(code)"))
            #expect(added.text.contains("Tom &amp; &quot;Jerry&quot; O&#39;Neil"))
            #expect(try await server.post("accounts", form, from: "accounts", session).status == 400)
            let signedIn = try await server.store.devices.signIn(
                code: try #require(SignInCode(typed: String(code))), device: "tablet")
            #expect(signedIn.account == name)
            let number = try await number(name, server)
            let list = try await server.page("accounts", session).text
            #expect(list.contains("Tom &amp; &quot;Jerry&quot; O&#39;Neil") && !list.contains("\"Jerry\""))
            #expect(list.contains("<span class=\"mark\">owner</span>") && list.contains("value=\"\(2 << 30)\""))
            let place = "accounts/\(number)"
            #expect(try await server.page(place, session).text.contains("Tom &amp; "))
            _ = try await server.post("\(place)/quota", "quota=3G", from: place, session)
            #expect(try await server.page(place, session).text.contains("value=\"3G\""))
            #expect(try await server.store.accounts.record(of: AccountID(number))?.quota == 3 << 30)
            #expect(try await server.post("\(place)/quota", "quota=much", from: place, session).status == 400)
            _ = try await server.post("\(place)/quota", "quota=", from: place, session)
            #expect(try await server.store.accounts.record(of: AccountID(number))?.quota == nil)
            let other = try await server.post("\(place)/code", from: place, session).text
            #expect(other.contains("id=\"new-code\"") && other.contains("give it to its person only"))
            #expect(try await server.page("\(place)/disable", session).text.contains("Nothing is removed"))
            let disabled = try await server.post("\(place)/disable", from: place, session)
            #expect(disabled.status == 303)
            #expect(try await server.page(place, session).text.contains("disabled</span>"))
            #expect(try await server.store.accounts.record(of: AccountID(number))?.isDisabled == true)
            _ = try await server.post("\(place)/enable", from: place, session)
            #expect(try await server.store.accounts.record(of: AccountID(number))?.isDisabled == false)
            #expect(try await server.page("accounts/999", session).status == 404)
        }
    }

    @Test("an owner cannot disable the own account")
    func own() async throws {
        try await withServer { server in
            let session = try await owner(server)
            let place = "accounts/\(try await number("anna", server))"
            #expect(!(try await server.page(place, session).text.contains("\(place)/disable")))
            for answer in [
                try await server.page("\(place)/disable", session),
                try await server.post("\(place)/disable", from: place, session),
            ] {
                #expect(answer.status == 400 && answer.text.contains("You cannot disable your own account"))
            }
            #expect(try await server.page("accounts", session).status == 200)
        }
    }

    @Test("every act of an owner with an authenticator app requires its code", arguments: [false, true])
    func factor(_ isTyped: Bool) async throws {
        // Five attempts are allowed, one for each act.
        try await withServer { server in
            let session = try await owner(server)
            _ = try await server.device(of: "ben")
            let account = try await server.store.accounts.account(named: "anna")
            try await server.store.accounts.beginSecondFactor(of: account)
            guard case .settingUp(let password) = try await server.store.accounts.secondFactor(of: account) else {
                throw TestServer.NoToken()
            }
            func code() -> String {
                server.time.advance(by: .seconds(60))
                return password.code(counter: UInt64(OneTimePassword.step(at: server.time.now().split.seconds)))
            }
            _ = try await server.store.accounts.confirmSecondFactor(code(), of: account)
            let number = try await number("ben", server)
            for (method, path) in routes(server, number) {
                guard method == .POST else {
                    #expect(try await server.page(path, session).text.contains("name=\"factor\""), "\(path)")
                    continue
                }
                let fields = "name=eve&quota=1G" + (isTyped ? "&factor=\(code())" : "")
                let answer = try await server.post(path, fields, from: "accounts/\(number)", session)
                #expect(isTyped ? [200, 303].contains(answer.status) : answer.status == 401, "\(path): \(answer.text)")
            }
            #expect(try await server.store.accounts.list().count == (isTyped ? 3 : 2))
        }
    }

    @Test("an owner sees no names of another account's containers, documents, devices or links")
    func figures() async throws {
        try await withServer { server in
            let session = try await owner(server)
            let ben = try await server.device("bens laptop", of: "ben")
            let item = try await ben.write("diary.txt", "private")
            let number = try await number("ben", server)
            for path in ["accounts", "accounts/\(number)", "accounts/\(number)/disable"] {
                let page = try await server.page(path, session).text
                for secret in ["diary", "bens laptop", "CloudDocs", "private"] {
                    #expect(!page.contains(secret), "\(path)")
                }
            }
            #expect(try await server.page("c/CloudDocs/i/\(item)", session).status == 404)
        }
    }

    @Test("the list of accounts has pages")
    func pages() async throws {
        try await withServer { server in
            let session = try await owner(server)
            for number in 0..<250 { try await server.store.accounts.add("person \(1_000 + number)") }
            let first = try await server.page("accounts", session).text
            let second = try await server.page("accounts?page=1", session).text
            #expect(first.matches(of: /<tr><th scope="row">/).count == 200 && first.contains("Page 1 of 2"))
            #expect(second.matches(of: /<tr><th scope="row">/).count == 51)
        }
    }
}
