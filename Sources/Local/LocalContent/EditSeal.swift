import Basics
package import CloudModel
package import LocalMetadata

/// What the bytes of an edit were while it waited for the cloud: the only way to see, before another device has them, whether one
/// of them changed by itself. It is kept with the blob, as an extended attribute.
///
/// Whatever a program does to a document moves the change time that its row keeps, so a seal of another time is of other bytes. The
/// blob's own modification time is that of its last write. See docs/decisions/0020-edits-that-wait-are-sealed.md.
package struct EditSeal: Equatable, Sendable {
    private let digest: ArraySlice<UInt8>
    private let modified: Timestamp
    private let changed: Timestamp

    /// - Parameters:
    ///   - digest: of the content, as an upload would name it.
    ///   - item: the row as it was before and after the bytes were read.
    ///   - status: the blob's, likewise.
    package init(_ digest: Digest, of item: LocalItem, _ status: BlobStatus) {
        self.digest = Array(digest.bytes).prefix(Self.digestSize)
        modified = status.modified
        changed = item.changed
    }

    /// Whether it is of the bytes that a file has now.
    package func isOf(_ item: LocalItem, _ status: BlobStatus) -> Bool {
        item.isEdited && !item.isWriting && changed == item.changed && modified == status.modified
    }

    package func matches(_ digest: Digest) -> Bool { digest.bytes.starts(with: self.digest) }

    // MARK: On the disk

    /// With the inode of an ext4 there is room for as much, and no block has to be found.
    private static let digestSize = 16
    private static let version: UInt8 = 1
    static let size = 1 + 16 + 2 * digestSize

    /// The digest stands there twice: a seal that is damaged itself says nothing.
    var encoded: [UInt8] {
        [Self.version] + digest + Self.bytes(modified) + Self.bytes(changed) + digest
    }

    /// Nil for what is no seal, or one of another version.
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
