import CloudProtocol
import Foundation
import GRDB
import ServerStorage
import TestSupport
import Testing

@Suite("Passkeys")
struct PasskeyTests {
    private let origin: WebOrigin
    private let challenge = [UInt8](repeating: 9, count: 32)

    init() throws { origin = try #require(WebOrigin("https://cloud.example.org")) }

    private func authenticator() -> SoftwareAuthenticator {
        SoftwareAuthenticator(origin: "https://cloud.example.org", domain: "cloud.example.org")
    }

    private func register(_ key: SoftwareAuthenticator, type: String = "webauthn.create") throws -> PasskeyRegistration
    {
        try PasskeyRegistration(
            clientData: key.clientData(type, challenge), attestation: key.attestation(), challenge: challenge,
            origin: origin)
    }

    private func assertion(
        _ key: SoftwareAuthenticator, type: String = "webauthn.get", challenge: [UInt8]? = nil
    ) throws -> PasskeyAssertion {
        let clientData = key.clientData(type, challenge ?? self.challenge)
        let (data, signature) = try key.sign(clientData)
        return PasskeyAssertion(
            credential: key.credential, clientData: clientData, authenticatorData: data, signature: signature,
            userHandle: key.userHandle)
    }

    @Test("a passkey is registered and used to sign in")
    func right() throws {
        var key = authenticator()
        let passkey = try register(key)
        #expect(passkey.credential == key.credential && passkey.key.count == 65 && passkey.counter == 0)
        #expect(try assertion(key).verify(key: passkey.key, counter: 0, challenge: challenge, origin: origin) == 0)
        key.counter = 4
        #expect(try assertion(key).verify(key: passkey.key, counter: 3, challenge: challenge, origin: origin) == 4)
    }

    @Test(
        "a registration for another site, page, ceremony, challenge or algorithm, or without verification, is refused")
    func wrongRegistration() throws {
        func expect(_ problem: PasskeyProblem, _ change: (inout SoftwareAuthenticator) -> Void) {
            var key = authenticator()
            change(&key)
            #expect(throws: problem) { try register(key) }
        }
        expect(.otherOrigin) { $0.origin = "https://evil.example.org" }
        expect(.otherOrigin) { $0.origin = "http://cloud.example.org" }
        expect(.otherOrigin) { $0.origin = "https://cloud.example.org:8443" }
        expect(.otherOrigin) { $0.domain = "example.org" }
        expect(.otherOrigin) { $0.crossOrigin = true }
        expect(.notVerified) { $0.flags = 1 }
        expect(.notVerified) { $0.flags = 4 }
        expect(.otherAlgorithm) { $0.algorithm = -8 }
        #expect(throws: PasskeyProblem.otherCeremony) { try register(authenticator(), type: "webauthn.get") }
        #expect(throws: PasskeyProblem.otherChallenge) {
            let key = authenticator()
            return try PasskeyRegistration(
                clientData: key.clientData("webauthn.create", [1]), attestation: key.attestation(),
                challenge: challenge, origin: origin)
        }
    }

    @Test("a signature over other data, by another key, or with a decreased counter is refused")
    func wrongAssertion() throws {
        let key = authenticator()
        let passkey = try register(key)
        func verify(_ assertion: PasskeyAssertion, counter: UInt32 = 0) throws -> UInt32 {
            try assertion.verify(key: passkey.key, counter: counter, challenge: challenge, origin: origin)
        }
        #expect(throws: PasskeyProblem.wrongSignature) { try verify(assertion(authenticator())) }
        #expect(throws: PasskeyProblem.otherChallenge) { try verify(assertion(key, challenge: [1])) }
        #expect(throws: PasskeyProblem.otherCeremony) { try verify(assertion(key, type: "webauthn.create")) }
        #expect(throws: PasskeyProblem.counter) { try verify(assertion(key), counter: 1) }
        var counting = key
        counting.counter = 5
        #expect(throws: PasskeyProblem.counter) { try verify(assertion(counting), counter: 5) }
        let right = try assertion(key)
        var data = right.authenticatorData
        data[33] = 1
        let changed = PasskeyAssertion(
            credential: right.credential, clientData: right.clientData, authenticatorData: data,
            signature: right.signature, userHandle: [])
        #expect(throws: PasskeyProblem.wrongSignature) { try verify(changed) }
    }

    @Test("any bytes in place of an attestation or a signature end in an error")
    func fuzz() throws {
        var random = SeededGenerator(seed: 3)
        let key = authenticator()
        let passkey = try register(key)
        let (attestation, right) = (key.attestation(), try assertion(key))
        for _ in 0..<2_000 {
            var bytes = attestation
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            // The registration may succeed: an authenticator could have sent a changed id, model or format.
            _ = try? PasskeyRegistration(
                clientData: key.clientData("webauthn.create", challenge), attestation: bytes, challenge: challenge,
                origin: origin)
            var signature = right.signature
            let index = Int.random(in: signature.indices, using: &random)
            signature[index] ^= UInt8.random(in: 1...255, using: &random)
            let changed = PasskeyAssertion(
                credential: right.credential, clientData: right.clientData,
                authenticatorData: right.authenticatorData, signature: signature, userHandle: [])
            #expect(throws: PasskeyProblem.wrongSignature) {
                try changed.verify(key: passkey.key, counter: 0, challenge: challenge, origin: origin)
            }
        }
    }

    @Test("a challenge is valid for one browser, for five minutes, once")
    func challenges() {
        let challenges = PasskeyChallenges()
        let one = challenges.make(for: "a", now: 1_000)
        #expect(challenges.isValid(one, for: "a", now: 1_000) && challenges.isValid(one, for: "a", now: 1_300))
        #expect(!challenges.isValid(one, for: "b", now: 1_000))
        #expect(!challenges.isValid(one, for: "a", now: 1_301))
        #expect(!PasskeyChallenges().isValid(one, for: "a", now: 1_000))
        for index in one.indices {
            var other = one
            other[index] ^= 1
            #expect(!challenges.isValid(other, for: "a", now: 1_000))
        }
        #expect(challenges.use(one, now: 1_000) && !challenges.use(one, now: 1_001))
        #expect(challenges.use(challenges.make(for: "a", now: 1_000), now: 1_001))
        #expect(!challenges.isValid([], for: "a", now: 0) && !challenges.use([], now: 0))
    }

    @Test("accepted origins are those for which browsers offer passkeys")
    func origins() throws {
        #expect(WebOrigin("https://Cloud.example.org:443/prefix")?.text == "https://cloud.example.org")
        #expect(WebOrigin("https://cloud.example.org:8443")?.text == "https://cloud.example.org:8443")
        #expect(WebOrigin("https://cloud.example.org:8443")?.domain == "cloud.example.org")
        #expect(WebOrigin("http://localhost:8080")?.text == "http://localhost:8080")
        for url in ["http://cloud.example.org", "https://127.0.0.1", "https://[::1]:8443", "cloud.example.org", ""] {
            #expect(WebOrigin(url) == nil, "\(url)")
        }
    }

    @Test("a session is opened for the passkey's account, with its domain and its user, and the counter is stored")
    func sessions() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var key = authenticator()
            try await store.sessions.addPasskey(register(key), of: account, domain: origin.domain, name: "Key")
            await #expect(throws: StorageError.self) {
                try await store.sessions.addPasskey(register(key), of: account, domain: origin.domain, name: "Again")
            }
            func open(_ key: SoftwareAuthenticator, isUnused: Bool = true) async throws {
                try await store.sessions.openSession(
                    passkey: assertion(key), challenge: challenge, origin: origin, browser: "b", secret: [1]
                ) { isUnused }
            }
            await #expect(throws: StorageError.self, "another user") { try await open(key) }
            key.userHandle = try await store.sessions.userHandle(of: account)
            #expect(key.userHandle.count == 16)
            await #expect(throws: StorageError.self, "a used challenge") { try await open(key, isUnused: false) }
            key.counter = 7
            try await open(key)
            let session = try await store.sessions.session(secret: [1])
            #expect(session?.accountName == "anna")
            await #expect(throws: StorageError.self, "a copy of the authenticator") { try await open(key) }
            let listed = try await store.sessions.passkeys(ofAccount: "anna")
            #expect(listed.map(\.name) == ["Key"] && listed[0].used != nil)
            let berta = try await store.newAccount("berta")
            let isRemovedByOther = try await store.sessions.removePasskey(listed[0].id, of: berta)
            #expect(!isRemovedByOther)
            let isRemoved = try await store.sessions.removePasskey(listed[0].id, of: account)
            #expect(isRemoved)
            key.counter = 8
            await #expect(throws: StorageError.self, "a removed passkey") { try await open(key) }
        }
    }
}
