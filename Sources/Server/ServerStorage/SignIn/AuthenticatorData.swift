import Cryptography
import Foundation

/// The binary data sent by an authenticator (WebAuthn Level 2, 6.1).
struct AuthenticatorData {
    struct Credential {
        let id: [UInt8]
        let key: P256PublicKey
    }

    /// The longest allowed by WebAuthn (Level 2, 7.1, step 17 of its successor).
    static let maximumCredentialBytes = 1_023
    private static let minimumBytes = 37

    let counter: UInt32
    /// The new key; registrations only.
    let credential: Credential?

    /// - Throws: ``PasskeyProblem`` for a different domain, and unless a person was present and verified.
    init(_ bytes: [UInt8], domain: String) throws(PasskeyProblem) {
        guard (Self.minimumBytes...CBOR.maximumBytes).contains(bytes.count) else { throw .malformed }
        guard isEqualInConstantTime(Data(bytes[..<32]), Data(SHA256.hash(Array(domain.utf8)))) else {
            throw .otherOrigin
        }
        let flags = Flags(rawValue: bytes[32])
        guard flags.isSuperset(of: [.present, .verified]) else { throw .notVerified }
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[37...]
        if flags.contains(.credential) {
            let (found, after) = try Self.credential(rest)
            (credential, rest) = (found, after)
        } else {
            credential = nil
        }
        if flags.contains(.extensions) {
            do { rest = try CBOR.prefix(of: rest).rest } catch { throw .malformed }
        }
        guard rest.isEmpty else { throw .malformed }
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let present = Flags(rawValue: 1)
        static let verified = Flags(rawValue: 4)
        static let credential = Flags(rawValue: 64)
        static let extensions = Flags(rawValue: 128)
    }

    /// Parses the credential (WebAuthn Level 2, 6.5.1): 16 bytes of the authenticator's model, the length of the id,
    /// the id, the key.
    private static func credential(
        _ bytes: ArraySlice<UInt8>
    ) throws(PasskeyProblem) -> (credential: Credential, rest: ArraySlice<UInt8>) {
        let head = Array(bytes.prefix(18))
        guard head.count == 18 else { throw .malformed }
        let length = Int(head[16]) << 8 | Int(head[17])
        let rest = bytes.dropFirst(18)
        guard (1...maximumCredentialBytes).contains(length), rest.count > length else { throw .malformed }
        let (value, after): (CBOR, ArraySlice<UInt8>)
        do { (value, after) = try CBOR.prefix(of: rest.dropFirst(length)) } catch { throw .malformed }
        return (Credential(id: Array(rest.prefix(length)), key: try key(value)), after)
    }

    /// Parses a key on P-256 for ECDSA with SHA-256 (RFC 9053, 7.1.1; numbers of the IANA registry "COSE").
    private static func key(_ value: CBOR) throws(PasskeyProblem) -> P256PublicKey {
        let (kind, algorithm, curve) = (CBOR.number(1), CBOR.number(3), CBOR.number(-1))
        guard value[kind] == .number(2), value[algorithm] == .number(-7), value[curve] == .number(1) else {
            throw .otherAlgorithm
        }
        guard let x = value[.number(-2)]?.bytes, let y = value[.number(-3)]?.bytes, x.count == 32, y.count == 32 else {
            throw .malformed
        }
        // The initializer refuses bytes other than a point of the curve.
        guard let key = P256PublicKey([4] + x + y) else { throw .malformed }
        return key
    }
}
