import Basics
import DaemonProtocol
public import Foundation

/// Something that was deleted and can be restored. There is no such type on Apple's platforms, where only their own programs list it.
public struct UbiquitousDeletedItem: Hashable, Sendable {
    /// Where it was.
    public let url: URL
    public let isDirectory: Bool
    /// When it was deleted, by the clock of the device that deleted it.
    public let deletionDate: Date
    /// The name of that device.
    public let localizedNameOfDeletingComputer: String
    /// In bytes; of a folder, of everything that was removed with it. Nil where there is too much to count.
    public let fileSize: Int64?
    /// How many items were removed with a folder; nil for documents, and where there is too much to count.
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
