import Foundation
import Ubiquity

extension PresenterTool {
    /// Permanently removes a folder's deleted items: an item of that name, then the rest.
    static func purgeDeleted(in folder: URL, _ name: String) throws {
        let items = try FileManager.default.recentlyDeletedUbiquitousItems(in: folder)
        for item in items where item.url.lastPathComponent == name {
            try FileManager.default.purgeUbiquitousItem(item)
            do { try FileManager.default.restoreUbiquitousItem(item) } catch {
                say("\(name) \((error as? CocoaError)?.code == .fileNoSuchFile ? "is gone" : "\(error)")")
            }
        }
        say("left \(try FileManager.default.recentlyDeletedUbiquitousItems(in: folder).count)")
        let old = Date(timeIntervalSinceNow: -86_400)
        say("old \(try FileManager.default.purgeRecentlyDeletedUbiquitousItems(in: folder, deletedUntil: old))")
        say("bytes \(try FileManager.default.purgeRecentlyDeletedUbiquitousItems(in: folder))")
        say("left \(try FileManager.default.recentlyDeletedUbiquitousItems(in: folder).count)")
    }

    /// Lists a folder's deleted items, and restores all of them.
    static func restoreDeleted(in folder: URL) throws {
        for item in try FileManager.default.recentlyDeletedUbiquitousItems(in: folder) {
            let kind = item.isDirectory ? "folder of \(item.itemCount ?? -1)" : "\(item.fileSize ?? -1) bytes"
            say("\(item.url.lastPathComponent) \(kind) by \(item.localizedNameOfDeletingComputer)")
            say("at \(try FileManager.default.restoreUbiquitousItem(item).lastPathComponent)")
        }
        say("left \(try FileManager.default.recentlyDeletedUbiquitousItems(in: folder).count)")
    }
}
