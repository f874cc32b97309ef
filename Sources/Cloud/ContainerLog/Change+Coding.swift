import Basics
import CloudModel

/// The first byte of an encoded change.
private enum ChangeTag: UInt8 {
    case create = 1
    case edit = 2
    case move = 3
    case setAttributes = 4
    case delete = 5
    case resolve = 6
    case raiseRules = 7
    case setValue = 8
    case collection = 9
}

extension ByteWriter {
    mutating func append(_ change: Change) {
        switch change {
        case .create(let id, let parent, let name, let attributes, let body):
            append(.create, id)
            append(parent)
            append(counted: name.bytes)
            append(attributes)
            append(body)
        case .edit(let id, let base, let content, let modified):
            append(.edit, id)
            append(optional: base)
            append(content)
            append(fixed: modified.nanoseconds)
        case .move(let id, let parent, let name):
            append(.move, id)
            append(parent)
            append(counted: name.bytes)
        case .setAttributes(let id, let changes):
            append(.setAttributes, id)
            append(changes)
        case .delete(let id, let base):
            append(.delete, id)
            append(optional: base)
        case .resolve(let id, let versions):
            append(.resolve, id)
            append(versions)
        case .setValue(let key, let value, let time):
            append(byte: ChangeTag.setValue.rawValue)
            append(string: key)
            append(fixed: time.nanoseconds)
            append(byte: value == nil ? 0 : 1)
            if let value { append(counted: value) }
        case .collection(let step):
            append(byte: ChangeTag.collection.rawValue)
            append(step)
        case .raiseRules(let rules):
            append(byte: ChangeTag.raiseRules.rawValue)
            append(fixed: rules)
        }
    }

    private mutating func append(_ tag: ChangeTag, _ id: ItemID) {
        append(byte: tag.rawValue)
        append(id)
    }

    private mutating func append(_ changes: AttributeChanges) {
        append(byte: (changes.permissions == nil ? 0 : 1) | (changes.modified == nil ? 0 : 2))
        if let permissions = changes.permissions { append(fixed: permissions) }
        if let modified = changes.modified { append(fixed: modified.nanoseconds) }
        append(varint: UInt64(changes.extended.count))
        for (name, value) in changes.extended.sorted(by: { $0.key < $1.key }) {
            append(string: name)
            append(byte: value == nil ? 0 : 1)
            if let value { append(counted: value) }
        }
    }

    private mutating func append(_ versions: [VersionID]) {
        append(varint: UInt64(versions.count))
        for version in versions { append(version) }
    }
}

extension ByteReader {
    mutating func change() throws(ByteCodingError) -> Change {
        let byte = try byte()
        guard let tag = ChangeTag(rawValue: byte) else { throw .invalid("an unknown change \(byte)") }
        switch tag {
        case .create:
            return .create(
                try itemID(), parent: try itemID(), name: try name(), attributes: try attributes(), body: try body())
        case .edit:
            return .edit(try itemID(), base: try optionalDigest(), content: try content(), modified: try timestamp())
        case .move: return .move(try itemID(), parent: try itemID(), name: try name())
        case .setAttributes: return .setAttributes(try itemID(), try attributeChanges())
        case .delete: return .delete(try itemID(), base: try optionalDigest())
        case .resolve: return .resolve(try itemID(), versions: try versions())
        case .raiseRules: return .raiseRules(try fixed())
        case .setValue: return try setValue()
        case .collection: return .collection(try collectionStep())
        }
    }

    private mutating func setValue() throws(ByteCodingError) -> Change {
        let key = try string()
        guard KeyValueLimits.allows(key: key) else { throw .invalid("a key of \(key.utf8.count) bytes") }
        let time = try timestamp()
        guard try flag() else { return .setValue(key: key, value: nil, time: time) }
        let value = Array(try counted())
        guard value.count <= KeyValueLimits.valueBytes else { throw .invalid("a value of \(value.count) bytes") }
        return .setValue(key: key, value: value, time: time)
    }

    private mutating func attributeChanges() throws(ByteCodingError) -> AttributeChanges {
        let fields = try byte()
        guard fields <= 3 else { throw .invalid("an unknown attribute") }
        var changes = AttributeChanges()
        if fields & 1 != 0 { changes.permissions = try fixed() }
        if fields & 2 != 0 { changes.modified = try timestamp() }
        for _ in 0..<(try count(minimumBytes: 2)) {
            let name = try string()
            let value: [UInt8]? = try flag() ? Array(try counted()) : nil
            guard changes.extended.updateValue(value, forKey: name) == nil else {
                throw .invalid("a duplicate attribute")
            }
        }
        return changes
    }

    private mutating func versions() throws(ByteCodingError) -> [VersionID] {
        var versions: [VersionID] = []
        for _ in 0..<(try count(minimumBytes: 2)) { versions.append(try version()) }
        return versions
    }
}
