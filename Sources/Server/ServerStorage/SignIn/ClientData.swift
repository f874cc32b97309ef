import Foundation

/// A browser's description of a passkey's use, as JSON (WebAuthn Level 2, 5.8.1).
struct ClientData: Decodable {
    enum Ceremony: String, Decodable {
        case registration = "webauthn.create"
        case signIn = "webauthn.get"
    }

    private let type: String
    private let challenge: String
    private let origin: String
    private let crossOrigin: Bool?

    /// - Throws: ``PasskeyProblem`` unless the console's page requested exactly this from the browser.
    static func check(
        _ json: [UInt8], for ceremony: Ceremony, challenge: [UInt8], origin: WebOrigin
    ) throws(PasskeyProblem) {
        let data: ClientData
        do { data = try JSONDecoder().decode(ClientData.self, from: Data(json)) } catch { throw .malformed }
        guard data.type == ceremony.rawValue else { throw .otherCeremony }
        guard let found = Base64URL.decode(data.challenge, limit: 1_024),
            isEqualInConstantTime(Data(found), Data(challenge))
        else { throw .otherChallenge }
        guard data.origin == origin.text, data.crossOrigin != true else { throw .otherOrigin }
    }
}
