import Basics
package import CloudModel

/// The device sending a request, by its own account: its id as an author of log entries, and its name. A token
/// identifies the request's sign-in; copies of a state share a token, and have different ids as soon as they are
/// recognised.
package struct RequestSender: Hashable, Sendable {
    /// The header field of a request with the sender, as ``text``.
    package static let header = "Ubiquity-Device"
    /// The same limit as in an entry of the log.
    private static let maximumName = 255

    package let id: DeviceID
    package let name: String

    package init(id: DeviceID, name: String) {
        self.id = id
        self.name = name
    }

    /// Sixteen hexadecimal digits, a space, and the name with percent escapes.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, let id = Hex.decode(String(parts[0])),
            let bytes = PercentCoding.decode(parts[1].utf8), bytes.count <= Self.maximumName
        else { return nil }
        self.id = DeviceID(id.reduce(0) { $0 << 8 | UInt64($1) })
        name = String(decoding: bytes, as: UTF8.self)
    }

    package var text: String {
        let name = PercentCoding.encode(name.utf8.prefix(Self.maximumName)) { byte in
            // Letters, digits, and the marks in names of machines.
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        }
        return "\(id) \(name)"
    }
}
