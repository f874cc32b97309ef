package import Basics
package import CloudModel

/// The encoding of an item with its conflicts, used for a server's folded log and for snapshots.
extension CloudItem {
    private static let form: UInt8 = 1

    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 160)
        writer.append(byte: Self.form)
        writer.append(id)
        writer.append(parent)
        writer.append(counted: name.bytes)
        writer.append(attributes)
        writer.append(body)
        writer.append(version)
        writer.append(fixed: author.value)
        writer.append(string: authorName)
        writer.append(byte: isDeleted ? 1 : 0)
        writer.append(varint: UInt64(conflicts.count))
        for conflict in conflicts { writer.append(conflict) }
        return writer.bytes
    }

    /// Decodes the output of ``encoded()``; any bytes either decode or throw.
    package init(decoding bytes: some Collection<UInt8>) throws(ByteCodingError) {
        var reader = ByteReader(bytes)
        let form = try reader.byte()
        guard form == Self.form else { throw .invalid("an item of unknown form \(form)") }
        self.init(
            id: try reader.itemID(), parent: try reader.itemID(), name: try reader.name(),
            attributes: try reader.attributes(), body: try reader.body(), version: try reader.version(),
            author: DeviceID(try reader.fixed()), authorName: try reader.string(), isDeleted: try reader.flag())
        for _ in 0..<(try reader.count(minimumBytes: 20)) { conflicts.append(try reader.conflict()) }
        try reader.expectEnd()
    }

    /// The contents still needed by this item: the current content and the conflict versions. A tombstone needs none,
    /// because a change to restore it has its own bytes.
    package var neededContents: Set<ContentReference> {
        guard !isDeleted else { return [] }
        return Set(([body.content] + conflicts.map(\.content)).compactMap { $0?.reference })
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ conflict: ConflictVersion) {
        append(conflict.version)
        append(conflict.content)
        append(fixed: conflict.modified.nanoseconds)
        append(fixed: conflict.author.value)
        append(string: conflict.authorName)
        append(optional: conflict.base)
    }
}

extension ByteReader {
    fileprivate mutating func conflict() throws(ByteCodingError) -> ConflictVersion {
        ConflictVersion(
            version: try version(), content: try content(), modified: try timestamp(),
            author: DeviceID(try fixed()), authorName: try string(), base: try optionalDigest())
    }
}
