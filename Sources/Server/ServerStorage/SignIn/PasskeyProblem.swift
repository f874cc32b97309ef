/// Why a passkey was not accepted.
package enum PasskeyProblem: Error, Hashable, Sendable {
    /// The bytes do not have the form sent by a browser.
    case malformed
    /// A registration in place of a sign-in, or the other way round.
    case otherCeremony
    case otherChallenge
    /// The request came from another page, another site, or a page within another site's.
    case otherOrigin
    /// The person was not verified, by a fingerprint or a PIN for example.
    case notVerified
    /// Not ECDSA with P-256 and SHA-256.
    case otherAlgorithm
    case wrongSignature
    /// The signature counter went back, so there may be a copy of the authenticator.
    case counter
}
