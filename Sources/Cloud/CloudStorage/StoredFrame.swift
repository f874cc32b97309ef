import Basics

/// The form in which an entry or a chunk is stored in a file or an object: a header, then the bytes. The header distinguishes a complete
/// file from one that a crash or a careless copy cut short.
///
/// Header, 20 bytes, little-endian: magic (4), version (4), length of what follows (8), checksum (4).
package struct StoredFrame: Equatable, Sendable {
    package enum Kind: UInt32, Sendable {
        /// Its checksum is the CRC-32C of the payload.
        case entry = 0x4562_6955  // "UibE"
        /// A chunk has no checksum: its name is the digest of its content.
        case chunk = 0x4362_6955  // "UibC"
    }

    package enum Problem: Error, Equatable {
        case truncated
        case notOurs
        case newer(UInt32)
        case checksum
        case tooLong
    }

    package static let headerSize = 20
    package static let version: UInt32 = 1
    /// Returns the greatest length of an entry, as on a server, or of a chunk, which may be the largest list of chunks without compression.
    /// A header that claims more cannot make its reader reserve memory.
    package static func maximumLength(of kind: Kind) -> Int { kind == .entry ? 16 << 20 : (64 << 20) + 64 }

    package let kind: Kind
    package let length: UInt64
    let checksum: UInt32

    package init(_ kind: Kind, of payload: [UInt8]) throws(Problem) {
        guard payload.count <= Self.maximumLength(of: kind) else { throw .tooLong }
        self.kind = kind
        length = UInt64(payload.count)
        checksum = kind == .entry ? CRC32C.checksum(payload) : 0
    }

    package var header: [UInt8] {
        var writer = ByteWriter(reservingCapacity: Self.headerSize)
        writer.append(fixed: kind.rawValue)
        writer.append(fixed: Self.version)
        writer.append(fixed: length)
        writer.append(fixed: checksum)
        return writer.bytes
    }

    /// Returns the length that a header claims for what follows it. It is not checked.
    package static func claimedLength(in header: [UInt8]) throws(Problem) -> UInt64 {
        var reader = ByteReader(header)
        do throws(ByteCodingError) {
            _ = (try reader.fixed() as UInt32, try reader.fixed() as UInt32)
            return try reader.fixed()
        } catch { throw .truncated }
    }

    /// Reads the header of a file of `fileSize` bytes. Any bytes either decode or throw.
    package init(_ kind: Kind, header: [UInt8], fileSize: Int64) throws(Problem) {
        var reader = ByteReader(header)
        let fields: (magic: UInt32, version: UInt32, length: UInt64, checksum: UInt32)
        do throws(ByteCodingError) {
            fields = (try reader.fixed(), try reader.fixed(), try reader.fixed(), try reader.fixed())
        } catch { throw .truncated }
        guard fields.magic == kind.rawValue, fields.version > 0 else { throw .notOurs }
        guard fields.version <= Self.version else { throw .newer(fields.version) }
        guard fileSize >= Self.headerSize, fields.length == UInt64(fileSize) - UInt64(Self.headerSize) else {
            throw .truncated
        }
        guard fields.length <= UInt64(Self.maximumLength(of: kind)) else { throw .tooLong }
        guard kind == .entry || fields.checksum == 0 else { throw .checksum }
        self.kind = kind
        length = fields.length
        checksum = fields.checksum
    }

    /// Checks the bytes that follow the header.
    package func verify(_ payload: [UInt8]) throws(Problem) {
        guard payload.count == length else { throw .truncated }
        guard kind == .chunk || CRC32C.checksum(payload) == checksum else { throw .checksum }
    }
}

/// The Castagnoli CRC, as in iSCSI (RFC 3720, appendix B.4) and ext4.
package enum CRC32C {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
    }

    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let table = table
        var value = UInt32.max
        for byte in bytes { value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
        return ~value
    }
}
