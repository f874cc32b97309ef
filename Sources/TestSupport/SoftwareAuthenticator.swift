import Cryptography
import Foundation

/// A security key in software, with the browser around it: creates a passkey and signs with it (WebAuthn Level 2, 6.3).
/// Tests can set the values they need to be wrong.
package struct SoftwareAuthenticator: Sendable {
    private let key = SigningKey()
    package let credential: [UInt8]
    package var userHandle: [UInt8] = []
    package var origin: String
    package var domain: String
    package var counter: UInt32 = 0
    /// The flags; by default user presence and verification.
    package var flags: UInt8 = 5
    /// The algorithm; by default ES256 (RFC 9053, 2.1).
    package var algorithm: Int8 = -7
    package var crossOrigin = false

    package init(origin: String, domain: String) {
        self.origin = origin
        self.domain = domain
        credential = (0..<32).map { _ in UInt8.random(in: 0...255) }
    }

    package func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        let text = Data(challenge).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        return Array(
            #"{"type":"\#(type)","challenge":"\#(text)","origin":"\#(origin)","crossOrigin":\#(crossOrigin),"other":[1]}"#
                .utf8)
    }

    /// Returns the attestation object of `credentials.create`, of format "none".
    package func attestation() -> [UInt8] {
        let data = authenticatorData(flags: flags | 64) + attestedCredential
        return [0xA3] + text("fmt") + text("none") + text("attStmt") + [0xA0] + text("authData") + bytes(data)
    }

    /// Signs as `credentials.get` does.
    package func sign(_ clientData: [UInt8]) -> (data: [UInt8], signature: [UInt8]) {
        let data = authenticatorData(flags: flags)
        let signature = key.sign(data + SHA256.hash(clientData))
        return (data, signature)
    }

    private func authenticatorData(flags: UInt8) -> [UInt8] {
        SHA256.hash(Array(domain.utf8)) + [flags] + withUnsafeBytes(of: counter.bigEndian) { Array($0) }
    }

    private var attestedCredential: [UInt8] {
        let point = key.publicKey
        let number = UInt8(-1 - algorithm)
        return [UInt8](repeating: 0, count: 16) + [0, UInt8(credential.count)] + credential
            + [0xA5, 0x01, 0x02, 0x03, 0x20 | number, 0x20, 0x01, 0x21] + bytes(Array(point[1..<33])) + [0x22]
            + bytes(Array(point[33..<65]))
    }

    /// Encodes a byte string of up to 65,535 bytes (RFC 8949, 3.1).
    private func bytes(_ bytes: [UInt8]) -> [UInt8] {
        switch bytes.count {
        case ..<24: [0x40 | UInt8(bytes.count)] + bytes
        case ..<256: [0x58, UInt8(bytes.count)] + bytes
        default: [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
        }
    }

    private func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }
}
