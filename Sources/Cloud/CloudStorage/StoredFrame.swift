import Basics
package import CloudModel

/// The stored form of an entry or a chunk in a file or an object: a header, then the bytes. The header distinguishes a
/// complete file from the truncated result of a crash or a careless copy.
///
/// Header, little-endian: magic (4), version (4), payload length (8), checksum (4). An entry's header has 32 bytes
/// more: the digest of the log up to this entry (``LogPosition``).
package struct StoredFrame: Equatable, Sendable {
    package enum Kind: UInt32, Sendable {
        /// Its checksum is the CRC-32C of the digest and the payload.
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

    package static let version: UInt32 = 1
    /// Returns the greatest length of an entry, as on a server, or of a chunk, possibly the largest chunk list without
    /// compression. A header claiming more cannot cause its reader to reserve memory.
    package static func maximumLength(of kind: Kind) -> Int { kind == .entry ? 16 << 20 : (64 << 20) + 64 }

    /// The bytes of a header before an entry's digest.
    private static let commonHeaderSize = 20

    package static func headerSize(of kind: Kind) -> Int { kind == .entry ? commonHeaderSize + 32 : commonHeaderSize }

    package let kind: Kind
    package let length: UInt64
    let checksum: UInt32
    /// The digest of the log up to this entry; zeros for a chunk.
    package let digest: Digest

    package static func chunk(_ payload: [UInt8]) throws(Problem) -> StoredFrame {
        try StoredFrame(.chunk, payload, .zero, checksum: 0)
    }

    /// - Parameter digest: The digest of the log up to this entry.
    package static func entry(_ payload: [UInt8], digest: Digest) throws(Problem) -> StoredFrame {
        try StoredFrame(.entry, payload, digest, checksum: CRC32C.checksum(digest.bytes, payload))
    }

    private init(_ kind: Kind, _ payload: [UInt8], _ digest: Digest, checksum: UInt32) throws(Problem) {
        guard payload.count <= Self.maximumLength(of: kind) else { throw .tooLong }
        self.kind = kind
        self.digest = digest
        self.checksum = checksum
        length = UInt64(payload.count)
    }

    package var header: [UInt8] {
        var writer = ByteWriter(reservingCapacity: Self.headerSize(of: kind))
        writer.append(fixed: kind.rawValue)
        writer.append(fixed: Self.version)
        writer.append(fixed: length)
        writer.append(fixed: checksum)
        return kind == .entry ? writer.bytes + digest.bytes : writer.bytes
    }

    /// Returns the payload length claimed by a header. It is not checked.
    package static func claimedLength(in header: [UInt8]) throws(Problem) -> UInt64 {
        var reader = ByteReader(header)
        do throws(ByteCodingError) {
            _ = (try reader.fixed() as UInt32, try reader.fixed() as UInt32)
            return try reader.fixed()
        } catch { throw .truncated }
    }

    /// Reads the header of a file of `fileSize` bytes. Any bytes either decode or throw.
    package init(_ kind: Kind, header: [UInt8], fileSize: Int64) throws(Problem) {
        guard header.count >= Self.headerSize(of: kind) else { throw .truncated }
        var reader = ByteReader(Array(header.prefix(Self.commonHeaderSize)))
        let fields: (magic: UInt32, version: UInt32, length: UInt64, checksum: UInt32)
        do throws(ByteCodingError) {
            fields = (try reader.fixed(), try reader.fixed(), try reader.fixed(), try reader.fixed())
        } catch { throw .truncated }
        guard fields.magic == kind.rawValue, fields.version > 0 else { throw .notOurs }
        guard fields.version <= Self.version else { throw .newer(fields.version) }
        let size = Self.headerSize(of: kind)
        guard fileSize >= size, fields.length == UInt64(fileSize) - UInt64(size) else { throw .truncated }
        guard fields.length <= UInt64(Self.maximumLength(of: kind)) else { throw .tooLong }
        guard kind == .entry || fields.checksum == 0 else { throw .checksum }
        self.kind = kind
        length = fields.length
        checksum = fields.checksum
        digest = Digest(header[Self.commonHeaderSize..<size]) ?? .zero
    }

    /// Reads a header alone, without its file.
    package init(_ kind: Kind, header: [UInt8]) throws(Problem) {
        let length = Int64(clamping: try Self.claimedLength(in: header))
        let (size, isTooLong) = length.addingReportingOverflow(Int64(Self.headerSize(of: kind)))
        guard !isTooLong else { throw .tooLong }
        try self.init(kind, header: header, fileSize: size)
    }

    /// Checks the payload after the header.
    package func verify(_ payload: [UInt8]) throws(Problem) {
        guard payload.count == length else { throw .truncated }
        guard kind == .chunk || CRC32C.checksum(digest.bytes, payload) == checksum else { throw .checksum }
    }
}
