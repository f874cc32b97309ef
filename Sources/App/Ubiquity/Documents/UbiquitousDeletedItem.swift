import Basics
import DaemonProtocol
public import Foundation

/// A restorable deleted item. Apple's platforms have no such type: there, only Apple's own programs list deleted items.
public struct UbiquitousDeletedItem: Hashable, Sendable {
    /// The item's URL before its deletion.
    public let url: URL
    public let isDirectory: Bool
    /// The time of the deletion, by the deleting device's clock.
    public let deletionDate: Date
    /// The deleting device's name.
    public let localizedNameOfDeletingComputer: String
    /// The size in bytes; for a folder, the size of everything removed along with it. Nil if there is too
    /// much to count.
    public let fileSize: Int64?
    /// The number of items removed along with a folder; nil for documents, and if there are too many to count.
    public let itemCount: Int?

    let identifier: String
}

extension UbiquitousDeletedItem {
    init(_ entry: DeletedEntry, below root: String) {
        isDirectory = entry.kind == .folder || entry.kind == .package
        url = Self.url(of: entry.path, below: root, isDirectory: isDirectory)
        deletionDate = Date(timeIntervalSince1970: Double(entry.deleted.timestamp.nanoseconds) / 1e9)
        localizedNameOfDeletingComputer = entry.device
        fileSize = entry.size.map { Int64(clamping: $0) }
        itemCount = entry.items.map { Int(clamping: $0) }
        identifier = entry.itemID
    }

    static func url(of path: MountPath, below root: String, isDirectory: Bool) -> URL {
        URL(filePath: "\(root)/\(path)", directoryHint: isDirectory ? .isDirectory : .notDirectory)
    }
}
