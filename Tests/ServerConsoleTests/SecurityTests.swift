import Basics
import CloudProtocol
import CloudStorage
import Foundation
import HTTPCloud
import NIOHTTP1
import ServerStorage
import ServerSupport
import TestSupport
import Testing

/// Tests authenticator apps, passkeys and codes for devices, without a browser.
@Suite("Security of the console", .timeLimit(.minutes(10)))
struct SecurityTests {
    /// A browser before its sign-in: its cookie and the token of the form.
    private struct Visitor {
        let server: TestServer
        let cookie: String
        let token: String
        let page: String

        init(_ server: TestServer) async throws {
            self.server = server
            let form = try await server.request(.GET, "/console/sign-in")
            cookie = try #require(form["Set-Cookie"]?.split(separator: ";").first.map(String.init))
            token = try #require(form.text.firstMatch(of: /name="token" value="(\w+)"/).map { String($0.1) })
            page = form.text
        }

        func post(_ path: String, _ fields: String) async throws -> TestServer.Answer {
            try await server.request(
                .POST, "/console/\(path)", headers: [("Cookie", cookie)], body: "token=\(token)&\(fields)")
        }
    }

    private func opened(_ answer: TestServer.Answer) -> String? {
        guard answer.status == 303 else { return nil }
        return answer["Set-Cookie"]?.split(separator: ";").first.map(String.init)
    }

    /// Sets up an authenticator app in the console.
    private func setUp(_ server: TestServer, _ session: String) async throws -> (OneTimePassword, recovery: [String]) {
        #expect(try await server.post("security/app", from: "security", session).status == 303)
        let account = try await server.store.accounts.account(named: "anna")
        guard case .settingUp(let password) = try await server.store.accounts.secondFactor(of: account) else {
            throw TestServer.NoToken()
        }
        let page = try await server.page("security", session).text
        #expect(page.contains(password.text) && page.contains("otpauth://totp/"))
        #expect(!page.contains("live.js"), "a page with a secret is not fetched again")
        let shown = try await server.post(
            "security/app/confirm", "factor=\(code(password, server))", from: "security", session)
        let codes = shown.text.matches(of: /<li><code>([\w-]+)<\/code>/).map { String($0.1) }
        #expect(shown.status == 200 && codes.count == 10)
        server.time.advance(by: .seconds(60))
        return (password, codes)
    }

    private func code(_ password: OneTimePassword, _ server: TestServer) -> String {
        password.code(counter: UInt64(OneTimePassword.step(at: server.time.now().split.seconds)))
    }

    @Test("with an authenticator app the sign-in asks for its code, and a stolen sign-in code is not enough")
    func app() async throws {
        try await withServer { server in
            let session = try await server.session()
            let (password, recovery) = try await setUp(server, session)
            let visitor = try await Visitor(server)
            let sign = try await server.code()
            let asked = try await visitor.post("sign-in", "code=\(sign)")
            #expect(asked.status == 200 && asked.text.contains("Authenticator app"))
            #expect(asked["Set-Cookie"]?.contains("ubiquity-console") == false)
            let wrong = try await visitor.post("sign-in", "code=\(sign)&factor=000")
            #expect(wrong.status == 422 && wrong.text.contains("is wrong"))
            let entered = try await visitor.post("sign-in", "code=\(sign)&factor=\(code(password, server))")
            let cookie = try #require(opened(entered))
            #expect(try await server.page("", cookie).status == 200)
            // A device signs in with the same code and the same second factor.
            let connection = ServerConnection(address: try ServerAddress(server.url), logger: quiet) { nil }
            let other = try await server.code()
            do {
                _ = try await connection.signIn(code: other.text, device: "thief")
                Issue.record("signed in without the second factor")
            } catch let error as CloudError { #expect(error.asksSecondFactor) }
            let answer = try await connection.signIn(code: other.text, secondFactor: recovery[0], device: "laptop")
            #expect(answer.account == "anna")
            let off = try await server.post("security/app/off", "factor=\(recovery[0])", from: "security", session)
            #expect(off.status == 401, "a recovery code is used up")
            let done = try await server.post("security/app/off", "factor=\(recovery[1])", from: "security", session)
            #expect(done.status == 303)
        }
    }

    @Test("a session has a limited number of attempts at codes of the app")
    func limited() async throws {
        try await withServer { server in
            let session = try await server.session()
            _ = try await setUp(server, session)
            var statuses: [UInt] = []
            for _ in 0..<6 {
                statuses.append(
                    try await server.post("security/app/off", "factor=0", from: "security", session).status)
            }
            #expect(statuses.contains(429) && !statuses.contains(303))
        }
    }

    private func field(_ name: String, in page: String) throws -> String {
        try #require(page.firstMatch(of: try Regex("data-\(name)=\"([^\"]*)\"")).flatMap { $0.output[1].substring })
            .description
    }

    private func register(
        _ key: inout SoftwareAuthenticator, _ server: TestServer, _ session: String, more: String = ""
    ) async throws -> TestServer.Answer {
        let page = try await server.page("security", session).text
        let challenge = try field("challenge", in: page)
        key.userHandle = try #require(Base64URL.decode(try field("user", in: page)))
        let clientData = key.clientData("webauthn.create", try #require(Base64URL.decode(challenge)))
        return try await server.post(
            "security/passkeys",
            "challenge=\(challenge)&name=Key&clientData=\(Base64URL.encode(clientData))&attestation=\(Base64URL.encode(key.attestation()))\(more)",
            from: "security", session)
    }

    private func assertion(_ key: SoftwareAuthenticator, _ challenge: String) throws -> String {
        let clientData = key.clientData("webauthn.get", try #require(Base64URL.decode(challenge)))
        let (data, signature) = key.sign(clientData)
        let fields = [
            "credential": key.credential, "clientData": clientData, "authenticatorData": data, "signature": signature,
            "userHandle": key.userHandle,
        ]
        return "challenge=\(challenge)&" + fields.map { "\($0)=\(Base64URL.encode($1))" }.joined(separator: "&")
    }

    @Test(
        "a passkey is added in the console and signs in; a challenge is valid once, for its own browser, and a removed passkey is refused"
    )
    func passkey() async throws {
        try await withServer { server in
            let server = server.onLocalhost
            let session = try await server.session()
            var key = SoftwareAuthenticator(origin: server.url, domain: "localhost")
            #expect(try await register(&key, server, session).status == 303)
            #expect(try await server.page("security", session).text.contains("Key"))
            let visitor = try await Visitor(server)
            let fields = try assertion(key, field("challenge", in: visitor.page))
            let stranger = try await Visitor(server)
            #expect(opened(try await stranger.post("passkey-sign-in", fields)) == nil)
            let cookie = try #require(opened(try await visitor.post("passkey-sign-in", fields)))
            #expect(try await server.page("", cookie).status == 200)
            #expect(opened(try await visitor.post("passkey-sign-in", fields)) == nil, "the challenge is used up")
            let listed = try await server.store.sessions.passkeys(ofAccount: "anna")
            let path = "security/passkeys/\(try #require(listed.first).id)/remove"
            #expect(try await server.post(path, from: "security", session).status == 303)
            let later = try await Visitor(server)
            let again = try assertion(key, field("challenge", in: later.page))
            #expect(opened(try await later.post("passkey-sign-in", again)) == nil)
        }
    }

    @Test(
        "a passkey is not added for another origin, without a challenge of the page, or by a stolen session without the app's code"
    )
    func refusedPasskey() async throws {
        try await withServer { server in
            let server = server.onLocalhost
            let session = try await server.session()
            var other = SoftwareAuthenticator(origin: "https://evil.example.org", domain: "localhost")
            #expect(try await register(&other, server, session).status == 400)
            var key = SoftwareAuthenticator(origin: server.url, domain: "localhost")
            let clientData = key.clientData("webauthn.create", [1, 2, 3])
            let invented = try await server.post(
                "security/passkeys",
                "challenge=AQID&clientData=\(Base64URL.encode(clientData))&attestation=\(Base64URL.encode(key.attestation()))",
                from: "security", session)
            #expect(invented.status == 400)
            let (password, _) = try await setUp(server, session)
            #expect(try await register(&key, server, session).status == 401)
            let right = "&factor=\(code(password, server))"
            #expect(try await register(&key, server, session, more: right).status == 303)
            #expect(try await server.store.sessions.passkeys(ofAccount: "anna").count == 1)
        }
    }

    @Test("browsers are not offered passkeys at an IP address without TLS")
    func notOffered() async throws {
        try await withServer { server in
            let session = try await server.session()
            #expect(try await !server.page("security", session).text.contains("data-passkey"))
            #expect(try await !Visitor(server).page.contains("passkey.js"))
        }
    }

    @Test("the console creates codes for read-only or temporary access")
    func deviceCode() async throws {
        try await withServer { server in
            _ = try await server.device()
            let session = try await server.session()
            let shown = try await server.post("devices/code", "scope=read&expires=30d", from: "devices", session)
            let code = try #require(shown.text.firstMatch(of: /id="new-code">([\w-]+)</).map { String($0.1) })
            #expect(shown.text.contains("not change anything"))
            _ = try await server.store.devices.signIn(code: #require(SignInCode(typed: code)), device: "tablet")
            let page = try await server.page("devices", session).text
            #expect(page.contains("read only") && page.contains("until"))
            let wrong = try await server.post("devices/code", "scope=read&expires=never", from: "devices", session)
            #expect(wrong.status == 400)
        }
    }
}
