import Foundation
import Ubiquity

/// All notes, found by a query, and the settings of the program on all devices.
enum Notebook {
    /// Lists the notes, the newest first; with `goesOn` it then reports changes until the input ends.
    static func list(goesOn: Bool, say: @escaping @Sendable (String) -> Void) throws {
        let query = NSMetadataQuery()
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        query.predicate = NSPredicate(format: "%K LIKE[c] '*.txt'", NSMetadataItemFSNameKey)
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSContentChangeDateKey, ascending: false)]
        query.notificationBatchingInterval = 0.25
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        query.operationQueue = queue
        let gathered = DispatchSemaphore(value: 0)
        let center = NotificationCenter.default
        let first = center.addObserver(forName: .NSMetadataQueryDidFinishGathering, object: query, queue: nil) { _ in
            gathered.signal()
        }
        let news = center.addObserver(forName: .NSMetadataQueryDidUpdate, object: query, queue: nil) { notification in
            for (key, sign) in [
                (NSMetadataQueryUpdateAddedItemsKey, "+"), (NSMetadataQueryUpdateChangedItemsKey, "~"),
                (NSMetadataQueryUpdateRemovedItemsKey, "-"),
            ] {
                for item in notification.userInfo?[key] as? [NSMetadataItem] ?? [] { say("\(sign) \(line(item))") }
            }
        }
        defer { for observer in [first, news] { center.removeObserver(observer) } }
        guard query.start() else { throw query.failure ?? CocoaError(.featureUnsupported) }
        gathered.wait()
        for case let item as NSMetadataItem in query.results { say(line(item)) }
        if goesOn {
            say("listening")
            while readLine() != nil {}
        }
        query.stop()
    }

    private static func line(_ item: NSMetadataItem) -> String {
        let name = item.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "?"
        let status = item.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String
        let isHere = status != NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
        return isHere ? name : "\(name) (in the cloud)"
    }

    /// Reads or writes a setting that all devices share.
    static func setting(_ key: String, _ value: String?, say: (String) -> Void) {
        let store = NSUbiquitousKeyValueStore.default
        guard let value else { return say(store.string(forKey: key) ?? "(not set)") }
        store.set(value, forKey: key)
        say(store.synchronize() ? "kept" : "not kept")
    }

    /// Reports the settings that others change, until the input ends.
    static func watchSettings(say: @escaping @Sendable (String) -> Void) {
        let store = NSUbiquitousKeyValueStore.default
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
        ) { notification in
            let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int ?? -1
            for key in notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? [] {
                say("\(key) = \(store.string(forKey: key) ?? "(not set)"), reason \(reason)")
            }
        }
        store.synchronize()
        say("listening")
        while readLine() != nil {}
        NotificationCenter.default.removeObserver(observer)
    }
}
