import Basics
import DaemonProtocol
public import Foundation

/// An item that was deleted and can be restored. Apple's platforms have no such type: there, only Apple's own programs list deleted items.
public struct UbiquitousDeletedItem: Hashable, Sendable {
    /// The URL of the item before its deletion.
    public let url: URL
    public let isDirectory: Bool
    /// The time of the deletion, by the clock of the device that deleted the item.
    public let deletionDate: Date
    /// The name of that device.
    public let localizedNameOfDeletingComputer: String
    /// The size in bytes; for a folder, the size of everything that was removed with it. Nil if there is too much to count.
    public let fileSize: Int64?
    /// The number of items that were removed with a folder; nil for documents, and if there are too many to count.
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
