import FoundationEssentials

/// A path below a mount's root, as bytes: `CloudDocs/Documents/a.txt`; the root itself has none.
///
/// A path is sent as text if it is UTF-8, otherwise as `{"base64": …}`: a file name may contain any bytes but `/` and NUL.
package struct MountPath: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package enum Problem: Error, Equatable {
        /// `..` could lead out of the mount.
        case leavesMount
        case forbiddenByte
        case invalidEncoding
    }

    package static let root = MountPath(normalized: [])

    private init(normalized: [UInt8]) { bytes = normalized }

    /// Drops empty components and `.`; refuses `..` and NUL.
    package init(bytes: some Collection<UInt8>) throws(Problem) { try self.init(bytes: Array(bytes)) }

    /// The specialised form, without witness tables, for paths decoded thousands of times a second.
    package init(bytes: [UInt8]) throws(Problem) {
        if Self.isNormal(bytes) {
            self.init(normalized: bytes)
            return
        }
        guard !bytes.contains(0) else { throw .forbiddenByte }
        let components = bytes.split(separator: UInt8(ascii: "/")).map { Array($0) }.filter { $0 != [0x2E] }
        guard !components.contains([0x2E, 0x2E]) else { throw .leavesMount }
        self.init(normalized: Array(components.joined(separator: [UInt8(ascii: "/")])))
    }

    /// Returns whether nothing has to be dropped or refused, as in paths already normalised by their sender.
    private static func isNormal(_ bytes: [UInt8]) -> Bool {
        // The length of the component so far, and whether it consists of dots only.
        var (length, isDots) = (0, true)
        for byte in bytes {
            if byte == UInt8(ascii: "/") {
                guard length > 0, !isDots || length > 2 else { return false }
                (length, isDots) = (0, true)
            } else {
                guard byte != 0 else { return false }
                length += 1
                if byte != UInt8(ascii: ".") { isDots = false }
            }
        }
        return length > 0 && (!isDots || length > 2)
    }

    package init(_ text: String) throws(Problem) { try self.init(bytes: Array(text.utf8)) }

    package var isRoot: Bool { bytes.isEmpty }

    package var components: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

    /// The path as text; invalid UTF-8 is replaced by U+FFFD, and the root is `.`.
    package var description: String { isRoot ? "." : String(decoding: bytes, as: UTF8.self) }
}

extension MountPath: Codable {
    private enum CodingKeys: String, CodingKey { case base64 }

    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            try self.init(text)
            return
        }
        // The path is not text: the only alternative is base64, whose decoding reports any error.
        let encoded = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .base64)
        guard let data = Data(base64Encoded: encoded) else { throw Problem.invalidEncoding }
        try self.init(bytes: data)
    }

    package func encode(to encoder: any Encoder) throws {
        if let text = String(validating: bytes, as: UTF8.self) {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        } else {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
        }
    }
}
