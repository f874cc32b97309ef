import Basics
import CloudModel
import ContainerLog
import Foundation
import GRDB

/// Converts nouns of the log to columns and back. An unreadable value means that the file is damaged.
extension ItemID {
    var data: Data {
        var data = Data(capacity: 16)
        for word in [high, low] { withUnsafeBytes(of: word.bigEndian) { data.append(contentsOf: $0) } }
        return data
    }

    init(data: Data) throws {
        guard data.count == 16 else { throw damagedTree }
        func word(_ range: Range<Int>) -> UInt64 {
            data.dropFirst(range.lowerBound).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(high: word(0..<8), low: word(8..<16))
    }
}

extension FileContent {
    static let announcedLayout: Int64 = 255

    var layoutColumn: Int64 { reference.map { Int64($0.layout.rawValue) } ?? Self.announcedLayout }
    var digestColumn: Data? { reference.map { Data($0.digest.bytes) } }

    init(_ row: Row) throws {
        let size = UInt64(bitPattern: row["size"] as Int64)
        guard row["layout"] as Int64 != Self.announcedLayout else {
            self = .announced(size: size)
            return
        }
        self = .stored(try ContentReference(folded: row))
    }
}

extension ContentReference {
    /// A row with `digest`, `size` and `layout`.
    init(folded row: Row) throws {
        guard let bytes = row["digest"] as Data?, let digest = Digest(bytes),
            let layout = Layout(rawValue: row["layout"])
        else { throw damagedTree }
        self.init(digest: digest, size: UInt64(clamping: row["size"] as Int64), layout: layout)
    }
}

extension VersionID {
    init(_ row: Row) {
        self.init(
            sequence: LogSequence(UInt64(clamping: row["sequence"] as Int64)),
            index: UInt32(truncatingIfNeeded: row["position"] as Int64))
    }
}

extension ConflictVersion {
    init(_ row: Row) throws {
        self.init(
            version: VersionID(row), content: try FileContent(row), modified: Timestamp(nanoseconds: row["modified"]),
            author: DeviceID(UInt64(bitPattern: row["author"] as Int64)), authorName: row["authorName"],
            base: (row["base"] as Data?).flatMap { Digest($0) })
    }
}

extension CloudItem {
    /// The caller passes the conflicts, because it has read them separately.
    init(_ row: Row, conflicts: [ConflictVersion]) throws {
        let extended = try ExtendedAttributes.decode(row["extended"] as Data)
        self.init(
            id: try ItemID(data: row["id"]), parent: try ItemID(data: row["parent"]),
            name: try ItemName(bytes: row["name"] as Data),
            attributes: ItemAttributes(
                permissions: UInt16(truncatingIfNeeded: row["permissions"] as Int64),
                modified: Timestamp(nanoseconds: row["modified"]), created: Timestamp(nanoseconds: row["created"]),
                extended: extended),
            body: try Self.body(row), version: VersionID(row),
            author: DeviceID(UInt64(bitPattern: row["author"] as Int64)), authorName: row["authorName"],
            conflicts: conflicts, isDeleted: row["isDeleted"])
    }

    private static func body(_ row: Row) throws -> ItemBody {
        switch ItemKind(rawValue: row["kind"]) {
        case .folder: .folder
        case .symlink: .symlink(target: Array(row["target"] as Data))
        case .file: .file(try FileContent(row))
        case nil: throw damagedTree
        }
    }

    func columns(isPackage: Bool) -> StatementArguments {
        var target: Data?
        if case .symlink(let bytes) = body { target = Data(bytes) }
        let content = body.content
        return [
            id.data, parent.data, Data(name.bytes), Int64(body.kind.rawValue),
            isPackage, isDeleted, target, content?.layoutColumn, content.map { Int64(bitPattern: $0.size) },
            content?.digestColumn,
            Int64(attributes.permissions), attributes.modified.nanoseconds, attributes.created.nanoseconds,
            ExtendedAttributes.encode(attributes.extended), Int64(version.sequence.value), Int64(version.index),
            Int64(bitPattern: author.value), authorName, conflicts.count,
        ]
    }
}

/// Encoded as a count, and the name and the value of each attribute.
private enum ExtendedAttributes {
    static func encode(_ attributes: [String: [UInt8]]) -> Data {
        guard !attributes.isEmpty else { return Data() }
        var writer = ByteWriter()
        for (name, value) in attributes {
            writer.append(string: name)
            writer.append(counted: value)
        }
        return Data(writer.bytes)
    }

    static func decode(_ data: Data) throws -> [String: [UInt8]] {
        var attributes: [String: [UInt8]] = [:]
        var reader = ByteReader(data)
        while !reader.isAtEnd {
            let name = try reader.string()
            attributes[name] = Array(try reader.counted())
        }
        return attributes
    }
}

let damagedTree = StorageError(.damaged, "The folded log on the server is damaged; it will be rebuilt.")
