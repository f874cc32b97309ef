import Foundation
import Ubiquity

extension PresenterTool {
    /// Lists what was deleted in a folder, and restores all of it.
    static func restoreDeleted(in folder: URL) throws {
        for item in try FileManager.default.recentlyDeletedUbiquitousItems(in: folder) {
            let kind = item.isDirectory ? "folder of \(item.itemCount ?? -1)" : "\(item.fileSize ?? -1) bytes"
            say("\(item.url.lastPathComponent) \(kind) by \(item.localizedNameOfDeletingComputer)")
            say("at \(try FileManager.default.restoreUbiquitousItem(item).lastPathComponent)")
        }
        say("left \(try FileManager.default.recentlyDeletedUbiquitousItems(in: folder).count)")
    }
}
