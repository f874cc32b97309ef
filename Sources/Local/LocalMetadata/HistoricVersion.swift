package import Basics
package import CloudModel
package import ContainerLog
import GRDB

/// A content once current or in conflict, with its bytes kept by the cloud for a while.
package struct HistoricVersion: Hashable, Sendable {
    package let container: ContainerID
    package let item: ItemID
    package let version: VersionID
    package let content: ContentReference
    package let modified: Timestamp
    package let author: DeviceID
    package let authorName: String
    /// When this device learned that it was replaced: the log's clock may jump a day with each entry, and authors'
    /// clocks may be wrong.
    package let superseded: Timestamp

    static let columns = [
        "container", "item", "sequence", "changeIndex", "size", "digest", "layout", "modified", "author", "authorName",
        "superseded",
    ]
    static let selection = columns.joined(separator: ", ")
    static let insertion =
        "INSERT OR REPLACE INTO version (\(selection)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"

    var values: [ColumnValue] {
        [
            .integer(container.value), .id(item), .integer(Int64(bitPattern: version.sequence.value)),
            .integer(Int64(version.index)), .integer(Int64(clamping: content.size)), .digest(content.digest),
            .integer(Int64(content.layout.rawValue)), .integer(modified.nanoseconds),
            .integer(Int64(bitPattern: author.value)), .text(authorName), .integer(superseded.nanoseconds),
        ]
    }
}

extension HistoricVersion {
    /// Creates the log's current version of a file; nil if its bytes are not in the cloud yet.
    package init?(current item: CloudItem, in container: ContainerID, at time: Timestamp) {
        guard !item.isDeleted, let content = item.body.content?.reference else { return nil }
        self.init(
            container: container, item: item.id, version: item.version, content: content,
            modified: item.attributes.modified, author: item.author, authorName: item.authorName, superseded: time)
    }
}

extension HistoricVersion: ColumnDecodable {
    init(columns: Columns) throws {
        let size = try columns.count(4)
        guard let content = try columns.content(digest: 5, size: size, layout: 6) else {
            throw MetadataError.damagedRow("a version without a content")
        }
        self.init(
            container: ContainerID(columns.integer(0)), item: try ItemID(data: columns.data(1)),
            version: VersionID(
                sequence: LogSequence(columns.unsigned(2)), index: UInt32(truncatingIfNeeded: columns.integer(3))),
            content: content, modified: Timestamp(nanoseconds: columns.integer(7)),
            author: DeviceID(columns.unsigned(8)), authorName: columns.text(9),
            superseded: Timestamp(nanoseconds: columns.integer(10)))
    }
}

/// A content of an item in the log, with its origin.
struct ItemContent {
    let item: ItemID
    let version: VersionID
    let content: ContentReference
    let modified: Timestamp
    let author: DeviceID
    let authorName: String

    func superseded(at time: Timestamp, in container: ContainerID) -> HistoricVersion {
        HistoricVersion(
            container: container, item: item, version: version, content: content, modified: modified, author: author,
            authorName: authorName, superseded: time)
    }
}

extension CloudItem {
    /// The item's readable contents: the current one, unless it is deleted, and those in conflict.
    var historicContents: [ItemContent] {
        let current = isDeleted ? nil : body.content?.reference
        let shown = current.map {
            ItemContent(
                item: id, version: version, content: $0, modified: attributes.modified, author: author,
                authorName: authorName)
        }
        let lost = conflicts.compactMap { conflict in
            conflict.content.reference.map {
                ItemContent(
                    item: id, version: conflict.version, content: $0, modified: conflict.modified,
                    author: conflict.author, authorName: conflict.authorName)
            }
        }
        return [shown].compactMap(\.self) + lost
    }
}
