/// A code given by a server's owner to a user, who types it once: 80 random bits in the alphabet of Crockford's base 32
/// (crockford.com/base32.html), in four groups of four characters.
package struct SignInCode: Hashable, Sendable, CustomStringConvertible {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let length = 16

    /// The code in capitals, without hyphens.
    package let text: String

    package static func random(using generator: inout some RandomNumberGenerator) -> SignInCode {
        let bytes = (0..<length).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] }
        return SignInCode(known: String(decoding: bytes, as: UTF8.self))
    }

    private init(known text: String) { self.text = text }

    /// Parses typed text with lowercase letters, hyphens and spaces anywhere, O for 0, and I and L for 1; returns nil for anything else.
    package init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        var bytes: [UInt8] = []
        for byte in typed.uppercased().utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "O"): bytes.append(UInt8(ascii: "0"))
            case UInt8(ascii: "I"), UInt8(ascii: "L"): bytes.append(UInt8(ascii: "1"))
            case _ where Self.alphabet.contains(byte): bytes.append(byte)
            default: return nil
            }
        }
        guard bytes.count == Self.length else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// `ABCD-EFGH-JKMN-PQRS`.
    package var description: String {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: 4)
            .map { String(decoding: bytes[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
    }
}
