import Basics
import Chunking
import CloudModel
import ContainerLog

extension DeviceID {
    /// The default device of folded changes in tests.
    static let other = DeviceID(2)
}

extension ItemID {
    static func sample(_ number: UInt64) -> ItemID { ItemID(high: 1 << 63, low: number) }
}

extension ContentReference {
    static func of(_ bytes: [UInt8]) -> ContentReference {
        ContentReference(digest: .of(bytes), size: UInt64(bytes.count), layout: bytes.isEmpty ? .empty : .chunk)
    }

    static func of(_ text: String) -> ContentReference { of(Array(text.utf8)) }
}

/// Changes from small numbers, names and texts.
extension Change {
    static func file(_ id: UInt64, _ name: String, _ text: String, in parent: ItemID = .documents) throws -> Change {
        .create(
            .sample(id), parent: parent, name: try ItemName(name), attributes: .sample,
            body: .file(.stored(.of(text))))
    }

    static func folder(_ id: UInt64, _ name: String, in parent: ItemID = .documents) throws -> Change {
        .create(.sample(id), parent: parent, name: try ItemName(name), attributes: .sample, body: .folder)
    }

    static func edit(_ id: ItemID, from base: String, to text: String) -> Change {
        .edit(
            id, base: ContentReference.of(base).digest, content: .stored(.of(text)), modified: Timestamp(seconds: 9))
    }

    static func move(_ id: ItemID, to name: String, in parent: ItemID = .documents) throws -> Change {
        .move(id, parent: parent, name: try ItemName(name))
    }

    var created: ItemID? { if case .create(let id, _, _, _, _) = self { id } else { nil } }

    var deleted: ItemID? { if case .delete(let id, _) = self { id } else { nil } }

    var edited: ItemID? { if case .edit(let id, _, _, _) = self { id } else { nil } }
}

extension ItemAttributes {
    fileprivate static let sample = ItemAttributes(
        permissions: 0o644, modified: Timestamp(seconds: 5), created: Timestamp(seconds: 5))
}
