import Cryptography

/// A passkey created by a browser (WebAuthn Level 2, 7.1). The attestation statement is ignored: an authenticator's
/// brand decides nothing.
package struct PasskeyRegistration: Hashable, Sendable {
    package let credential: [UInt8]
    /// The public key, uncompressed (X9.63), 65 bytes.
    package let key: [UInt8]
    package let counter: UInt32

    /// - Throws: ``PasskeyProblem``.
    package init(
        clientData: [UInt8], attestation: [UInt8], challenge: [UInt8], origin: WebOrigin
    ) throws(PasskeyProblem) {
        try ClientData.check(clientData, for: .registration, challenge: challenge, origin: origin)
        let object: CBOR
        do { object = try CBOR(decoding: attestation) } catch { throw .malformed }
        guard let bytes = object[.text("authData")]?.bytes, object[.text("fmt")] != nil else { throw .malformed }
        let data = try AuthenticatorData(bytes, domain: origin.domain)
        guard let found = data.credential else { throw .malformed }
        credential = found.id
        key = found.key.bytes
        counter = data.counter
    }
}
