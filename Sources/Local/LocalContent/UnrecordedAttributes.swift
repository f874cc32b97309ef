package import Basics
import CloudModel
package import LocalMetadata

/// Attributes set by programs on a file during writes, not yet in its row.
///
/// The row of a file being written is updated with its last close. Until then the blob keeps these attributes, in an
/// extended attribute, so that a start after a crash finds them with the bytes
/// (docs/decisions/0083-attributes-of-files-that-are-written.md).
package struct UnrecordedAttributes: Equatable, Sendable {
    package struct Owner: Equatable, Sendable {
        /// As in the row: nil means the owner of the mount.
        package var user: UInt32?
        package var group: UInt32?
        package init(user: UInt32?, group: UInt32?) {
            self.user = user
            self.group = group
        }
    }

    package struct Modified: Equatable, Sendable {
        package var time: Timestamp
        /// The blob's time after setting it to `time`: disks have fewer times. A different time means a later write.
        package var ofBlob: Timestamp
        package init(time: Timestamp, ofBlob: Timestamp) {
            self.time = time
            self.ofBlob = ofBlob
        }
    }

    package var permissions: UInt16?
    package var owner: Owner?
    package var accessed: Timestamp?
    package var modified: Modified?
    /// The change time, `st_ctime`.
    package var changed: Timestamp

    package init(changed: Timestamp) { self.changed = changed }

    /// Sets the attributes set by programs.
    ///
    /// - Parameter blob: The blob's current status.
    package func apply(to row: inout LocalItem, _ blob: BlobStatus) {
        if let permissions { row.attributes.permissions = permissions }
        if let owner { (row.user, row.group) = (owner.user, owner.group) }
        if let accessed { row.accessed = accessed }
        if let time = time(blob) { row.attributes.modified = time }
        row.changed = max(row.changed, changed)
    }

    /// Returns the modification time that was set, unless the file was written after that.
    package func time(_ blob: BlobStatus) -> Timestamp? {
        modified.flatMap { $0.ofBlob == blob.modified ? $0.time : nil }
    }

    // MARK: Encoding

    private static let version: UInt8 = 2
    /// With the name it fits into an ext4 inode, so no block has to be allocated.
    static let size = 48

    /// The encoded attributes, with a checksum: damaged attributes are ignored.
    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(byte: Self.version)
        writer.append(byte: flags)
        writer.append(fixed: permissions ?? 0)
        writer.append(fixed: owner?.user ?? 0)
        writer.append(fixed: owner?.group ?? 0)
        for time in [accessed, modified?.time, modified?.ofBlob, changed] {
            writer.append(fixed: time?.nanoseconds ?? 0)
        }
        writer.append(fixed: Self.checksum(writer.bytes[...]))
        return writer.bytes
    }

    private var flags: UInt8 {
        let parts = [
            permissions != nil, owner != nil, owner?.user != nil, owner?.group != nil, accessed != nil, modified != nil,
        ]
        return parts.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }

    /// Decodes attributes; nil for other bytes, such as a seal.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        var reader = ByteReader(bytes)
        do {
            let (version, flags) = (try reader.byte(), try reader.byte())
            let permissions: UInt16 = try reader.fixed()
            let (user, group): (UInt32, UInt32) = (try reader.fixed(), try reader.fixed())
            let times = try (0..<4).map { _ in Timestamp(nanoseconds: try reader.fixed()) }
            let checksum: UInt32 = try reader.fixed()
            guard version == Self.version, checksum == Self.checksum(bytes.dropLast(4)) else { return nil }
            func has(_ part: Int) -> Bool { flags >> part & 1 != 0 }
            if has(0) { self.permissions = permissions & 0o7777 }
            if has(1) { owner = Owner(user: has(2) ? user : nil, group: has(3) ? group : nil) }
            if has(4) { accessed = times[0] }
            if has(5) { modified = Modified(time: times[1], ofBlob: times[2]) }
            changed = times[3]
        } catch { return nil }
    }

    /// FNV-1a.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
