import Basics

/// The file or object that turns a directory or a bucket's prefix into a cloud; it has the format and the cloud's
/// identity. It is written last on creation, so a place with this file is complete.
///
///     ubiquity cloud
///     format 1
///     identity 4f0c5d7be8a3419690e2a0b1c7d3f586
package struct IdentityFile: Equatable, Sendable {
    package enum Problem: Error, Equatable {
        case notOurs
        case newer(Int)
    }

    /// The layout's version; a cloud with a greater version is left alone.
    package static let format = 1
    /// Far more than any format needs; the rest of a longer file is not read.
    package static let maximumSize = 4096

    package let identity: CloudIdentity

    package var text: String { "ubiquity cloud\nformat \(Self.format)\nidentity \(identity.text)\n" }

    package init(identity: CloudIdentity) { self.identity = identity }

    package static func random(using generator: inout some RandomNumberGenerator) -> IdentityFile {
        let digits = (0..<2).map { _ in Hex.encode(generator.next() as UInt64) }.joined()
        return IdentityFile(identity: CloudIdentity(digits))
    }

    /// Parses the file. Any bytes either decode or throw. The format is checked first, because a newer format may
    /// change all following lines.
    package init(_ bytes: [UInt8]) throws(Problem) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 2, lines[0] == "ubiquity cloud", lines[1].hasPrefix("format "),
            let format = Int(lines[1].dropFirst(7)), format > 0, lines[1] == "format \(format)"
        else { throw .notOurs }
        guard format <= Self.format else { throw .newer(format) }
        let digits = lines[2].dropFirst(9)
        guard lines.count == 4, lines[2].hasPrefix("identity "), lines[3].isEmpty, digits.utf8.count == 32,
            digits.utf8.allSatisfy(Self.isHexDigit)
        else { throw .notOurs }
        identity = CloudIdentity(String(digits))
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
