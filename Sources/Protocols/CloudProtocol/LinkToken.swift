/// The token at the end of a published link's address: 160 random bits, as 32 lowercase letters and digits of Crockford's base 32.
package struct LinkToken: Hashable, Sendable {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 32

    package let text: String

    package static func random(using generator: inout some RandomNumberGenerator) -> LinkToken {
        let bytes = (0..<length).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] }
        return LinkToken(known: String(decoding: bytes, as: UTF8.self))
    }

    private init(known text: String) { self.text = text }

    package init?(_ text: String) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = text
    }
}
