import Foundation

/// Base64url without padding (RFC 4648, 5), used by WebAuthn's scripts for exchanging bytes.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: Nil for anything but unpadded base64url of at most `limit` characters.
    package static func decode(_ text: String, limit: Int = 1 << 16) -> [UInt8]? {
        guard text.utf8.count <= limit, !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        return Data(base64Encoded: plain).map(Array.init)
    }
}
