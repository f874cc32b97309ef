import CloudProtocol
import Foundation
import GRDB
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Passkeys", .eachEngine)
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
    ) -> PasskeyAssertion {
        let clientData = key.clientData(type, challenge ?? self.challenge)
        let (data, signature) = key.sign(clientData)
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
        let right = assertion(key)
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
        let (attestation, right) = (key.attestation(), assertion(key))
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

    @Test("a challenge is valid for one browser, for five minutes, at every process that has the key")
    func challenges() {
        let key = [UInt8](repeating: 7, count: 32)
        let (challenges, other) = (PasskeyChallenges(key: key), PasskeyChallenges(key: key))
        let one = challenges.make(for: "a", now: 1_000)
        #expect(other.isValid(one, for: "a", now: 1_000) && other.isValid(one, for: "a", now: 1_300))
        #expect(!challenges.isValid(one, for: "b", now: 1_000))
        #expect(!challenges.isValid(one, for: "a", now: 1_301))
        // The clocks of two machines differ a little.
        #expect(other.isValid(one, for: "a", now: 990) && !other.isValid(one, for: "a", now: 900))
        #expect(!PasskeyChallenges(key: key + [1]).isValid(one, for: "a", now: 1_000))
        for index in one.indices {
            var changed = one
            changed[index] ^= 1
            #expect(!challenges.isValid(changed, for: "a", now: 1_000))
        }
        #expect(!challenges.isValid([], for: "a", now: 0))
    }

    @Test("a challenge is accepted once, whichever process is asked, and is then remembered until it expires")
    func once() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let other = try ServerStore(.test(path), serving: false, log: quiet)
                let one = try await store.sessions.challenges().make(for: "a", now: 1_000)
                let isKnown = try await other.sessions.challenges().isValid(one, for: "a", now: 1_000)
                #expect(isKnown)
                let first = try await store.database.commit { try SessionStore.useChallenge(one, at: 1_000, $0) }
                let second = try await other.database.commit { try SessionStore.useChallenge(one, at: 1_300, $0) }
                let none = try await store.database.commit { try SessionStore.useChallenge([], at: 1_000, $0) }
                #expect(first && !second && !none)
                let next = try await store.sessions.challenges().make(for: "a", now: 2_000)
                _ = try await store.database.commit { try SessionStore.useChallenge(next, at: 2_000, $0) }
                let count = try await store.database.read {
                    try $0.value(Int.self, "SELECT COUNT(*) FROM usedChallenge")
                }
                #expect(count == 1)
                try await other.close()
            }
        }
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
            func add(_ name: String, challenge: UInt8) async throws {
                try await store.sessions.addPasskey(
                    register(key), challenge: [UInt8](repeating: challenge, count: 32), of: account,
                    domain: origin.domain, name: name)
            }
            try await add("Key", challenge: 9)
            await #expect(throws: StorageError.self, "the same passkey") { try await add("Again", challenge: 8) }
            func open(_ key: SoftwareAuthenticator, challenge: UInt8 = 7) async throws {
                let challenge = [UInt8](repeating: challenge, count: 32)
                try await store.sessions.openSession(
                    passkey: assertion(key, challenge: challenge), challenge: challenge, origin: origin, browser: "b",
                    secret: [1])
            }
            await #expect(throws: StorageError.self, "another user") { try await open(key) }
            key.userHandle = try await store.sessions.userHandle(of: account)
            #expect(key.userHandle.count == 16)
            await #expect(throws: StorageError.self, "a used challenge") { try await open(key, challenge: 9) }
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
