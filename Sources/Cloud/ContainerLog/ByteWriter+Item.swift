import Basics
import CloudModel

/// Encodes an item's parts, the same way in all stored forms.
extension ByteWriter {
    mutating func append(_ id: ItemID) {
        append(fixed: id.high)
        append(fixed: id.low)
    }

    mutating func append(_ version: VersionID) {
        append(varint: version.sequence.value)
        append(varint: UInt64(version.index))
    }

    mutating func append(_ position: LogPosition) {
        append(varint: position.sequence.value)
        append(optional: position.digest)
    }

    mutating func append(optional digest: Digest?) {
        append(byte: digest == nil ? 0 : 1)
        if let digest { append(raw: digest.bytes) }
    }

    mutating func append(_ content: FileContent) {
        switch content {
        case .announced(let size):
            append(byte: ContentTag.announced)
            append(varint: size)
        case .stored(let reference):
            append(byte: reference.layout.rawValue)
            append(varint: reference.size)
            append(raw: reference.digest.bytes)
        }
    }

    mutating func append(_ body: ItemBody) {
        append(byte: body.kind.rawValue)
        switch body {
        case .folder: break
        case .symlink(let target): append(counted: target)
        case .file(let content): append(content)
        }
    }

    mutating func append(_ attributes: ItemAttributes) {
        append(fixed: attributes.permissions)
        append(fixed: attributes.modified.nanoseconds)
        append(fixed: attributes.created.nanoseconds)
        append(varint: UInt64(attributes.extended.count))
        for (name, value) in attributes.extended.sorted(by: { $0.key < $1.key }) {
            append(string: name)
            append(counted: value)
        }
    }
}

private enum ContentTag {
    /// Distinct from every layout of stored content.
    static let announced: UInt8 = 0xFF
}

extension ByteReader {
    mutating func itemID() throws(ByteCodingError) -> ItemID { ItemID(high: try fixed(), low: try fixed()) }

    mutating func version() throws(ByteCodingError) -> VersionID {
        let sequence = LogSequence(try varint())
        guard let index = UInt32(exactly: try varint()) else { throw .invalid("an impossible version") }
        return VersionID(sequence: sequence, index: index)
    }

    mutating func timestamp() throws(ByteCodingError) -> Timestamp { Timestamp(nanoseconds: try fixed()) }

    mutating func flag() throws(ByteCodingError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw .invalid("a flag that is neither 0 nor 1") }
        return byte == 1
    }

    mutating func name() throws(ByteCodingError) -> ItemName {
        let bytes = try counted()
        do throws(ItemName.Problem) {
            return try ItemName(bytes: bytes)
        } catch {
            throw .invalid("an invalid file name (\(error))")
        }
    }

    mutating func logPosition() throws(ByteCodingError) -> LogPosition {
        LogPosition(LogSequence(try varint()), try optionalDigest())
    }

    mutating func optionalDigest() throws(ByteCodingError) -> Digest? { try flag() ? try digest() : nil }

    mutating func digest() throws(ByteCodingError) -> Digest {
        guard let digest = Digest(try raw(32)) else { throw .truncated }
        return digest
    }

    mutating func content() throws(ByteCodingError) -> FileContent {
        let tag = try byte()
        if tag == ContentTag.announced { return .announced(size: try size()) }
        guard let layout = ContentReference.Layout(rawValue: tag) else { throw .invalid("an unknown layout \(tag)") }
        let size = try size()
        return .stored(ContentReference(digest: try digest(), size: size, layout: layout))
    }

    /// Reads a valid file size: Linux's `off_t` ends at 2^63 - 1.
    private mutating func size() throws(ByteCodingError) -> UInt64 {
        let size = try varint()
        guard size <= UInt64(Int64.max) else { throw .invalid("a size of \(size) bytes") }
        return size
    }

    mutating func body() throws(ByteCodingError) -> ItemBody {
        let tag = try byte()
        switch ItemKind(rawValue: tag) {
        case .folder: return .folder
        case .symlink: return .symlink(target: try linkTarget())
        case .file: return .file(try content())
        case nil: throw .invalid("an unknown kind of item \(tag)")
        }
    }

    mutating func attributes() throws(ByteCodingError) -> ItemAttributes {
        var attributes = ItemAttributes(permissions: try fixed(), modified: try timestamp(), created: try timestamp())
        for _ in 0..<(try count(minimumBytes: 2)) {
            let name = try string()
            let value = Array(try counted())
            guard attributes.extended.updateValue(value, forKey: name) == nil else {
                throw .invalid("a duplicate attribute")
            }
        }
        return attributes
    }

    private mutating func linkTarget() throws(ByteCodingError) -> [UInt8] {
        let target = Array(try counted())
        guard target.count <= ChangeBatch.maximumLinkBytes else {
            throw .invalid("a link target of \(target.count) bytes")
        }
        return target
    }
}
