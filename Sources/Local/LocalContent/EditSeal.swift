import Basics
package import CloudModel
package import LocalMetadata

/// A checksum of an unsent edit: the only way to detect a flipped byte before another device receives the edit. It is
/// stored with the blob, as an extended attribute.
///
/// Every change of a document by a program changes the change time in its row, so a seal with a different time belongs
/// to different bytes. The blob's own modification time is its last write's. See
/// docs/decisions/0020-edits-that-wait-are-sealed.md.
package struct EditSeal: Equatable, Sendable {
    private let digest: ArraySlice<UInt8>
    private let modified: Timestamp
    private let changed: Timestamp

    /// - Parameters:
    ///   - digest: of the content, as an upload would name it.
    ///   - item: the row, equal before and after the bytes were read.
    ///   - status: the blob's status, likewise.
    package init(_ digest: Digest, of item: LocalItem, _ status: BlobStatus) {
        self.digest = Array(digest.bytes).prefix(Self.digestSize)
        modified = status.modified
        changed = item.changed
    }

    /// Returns whether the seal belongs to a file's current bytes.
    package func isOf(_ item: LocalItem, _ status: BlobStatus) -> Bool {
        item.isEdited && !item.isWriting && changed == item.changed && modified == status.modified
    }

    package func matches(_ digest: Digest) -> Bool { digest.bytes.starts(with: self.digest) }

    // MARK: Encoding

    /// This size fits into an ext4 inode, so no block has to be allocated.
    private static let digestSize = 16
    private static let version: UInt8 = 1
    static let size = 1 + 16 + 2 * digestSize

    /// The encoded seal, with the digest twice: a damaged seal is ignored.
    var encoded: [UInt8] {
        [Self.version] + digest + Self.bytes(modified) + Self.bytes(changed) + digest
    }

    /// Decodes a seal; nil for other bytes, or a seal of a different version.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count == Self.size, bytes[0] == Self.version else { return nil }
        digest = Array(bytes[1...Self.digestSize])[...]
        guard digest.elementsEqual(bytes.suffix(Self.digestSize)) else { return nil }
        modified = Self.time(bytes[(1 + Self.digestSize)...])
        changed = Self.time(bytes[(9 + Self.digestSize)...])
    }

    private static func bytes(_ time: Timestamp) -> [UInt8] {
        withUnsafeBytes(of: time.nanoseconds.littleEndian, Array.init)
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Timestamp {
        Timestamp(nanoseconds: bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) })
    }
}
