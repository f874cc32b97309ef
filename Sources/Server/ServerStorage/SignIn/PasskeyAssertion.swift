import Cryptography
import Foundation

/// A browser's proof of having a passkey (WebAuthn Level 2, 7.2).
package struct PasskeyAssertion: Hashable, Sendable {
    package let credential: [UInt8]
    package let clientData: [UInt8]
    package let authenticatorData: [UInt8]
    package let signature: [UInt8]
    /// The user handle of the passkey's account, as claimed by the authenticator.
    package let userHandle: [UInt8]

    package init(
        credential: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]
    ) {
        self.credential = credential
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// Checks everything except the passkey's account.
    ///
    /// - Parameters:
    ///   - key: The passkey's public key (X9.63).
    ///   - counter: The passkey's last signature counter.
    /// - Returns: The new counter; 0 for authenticators that do not count.
    /// - Throws: ``PasskeyProblem``.
    package func verify(
        key: [UInt8], counter: UInt32, challenge: [UInt8], origin: WebOrigin
    ) throws(PasskeyProblem) -> UInt32 {
        try ClientData.check(clientData, for: .signIn, challenge: challenge, origin: origin)
        let data = try AuthenticatorData(authenticatorData, domain: origin.domain)
        let signed = Data(authenticatorData) + Data(SHA256.hash(clientData))
        guard let key = P256PublicKey(key), key.isValid(signature, for: signed) else { throw .wrongSignature }
        guard data.counter > counter || (data.counter == 0 && counter == 0) else { throw .counter }
        return data.counter
    }
}
