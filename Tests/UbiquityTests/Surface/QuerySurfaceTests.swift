import Foundation
import Synchronization
import Testing
import Ubiquity

@Suite("The API of NSMetadataQuery")
struct QuerySurfaceTests {
    @Test("every property keeps the value it was set to, and a query without a mount has no results")
    func properties() {
        let query = NSMetadataQuery()
        query.predicate = NSPredicate(format: "%K == %@", NSMetadataItemFSNameKey, "a.txt")
        query.searchScopes = [
            NSMetadataQueryUbiquitousDocumentsScope, NSMetadataQueryUbiquitousDataScope,
            NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope,
        ]
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSSizeKey, ascending: false)]
        query.valueListAttributes = [NSMetadataItemContentTypeKey]
        query.groupingAttributes = [NSMetadataUbiquitousItemContainerDisplayNameKey]
        query.notificationBatchingInterval = 0.5
        query.operationQueue = OperationQueue()
        #expect(query.searchScopes.count == 3 && query.sortDescriptors.count == 1 && query.predicate != nil)
        #expect(query.notificationBatchingInterval == 0.5 && query.operationQueue != nil)
        #expect(query.groupingAttributes == [NSMetadataUbiquitousItemContainerDisplayNameKey])
        let renamer = Renamer()
        query.delegate = renamer
        query.searchItems = [URL(filePath: "/a"), "/b"]
        #expect(query.delegate === renamer && query.searchItems?.count == 2)
        query.disableUpdates()
        query.enableUpdates()
        #expect(!query.isStarted && !query.isGathering && !query.isStopped)
        #expect(query.resultCount == 0 && query.results.isEmpty && query.groupedResults.isEmpty)
        #expect(query.valueLists[NSMetadataItemContentTypeKey]?.isEmpty == true)
        #expect(query.index(ofResult: query) == NSNotFound)
        query.enumerateResults { _, _, stop in stop.pointee = true }
        query.enumerateResults(options: .reverse) { _, _, stop in stop.pointee = true }
        query.stop()
        #expect(query.isStopped)
    }

    @Test("names of notifications, attributes and scopes are those of Apple, and unique")
    func names() {
        let notifications: [Notification.Name] = [
            .NSMetadataQueryDidStartGathering, .NSMetadataQueryGatheringProgress,
            .NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate,
        ]
        let attributes = [
            NSMetadataItemFSNameKey, NSMetadataItemURLKey, NSMetadataItemPathKey, NSMetadataItemDisplayNameKey,
            NSMetadataItemFSSizeKey, NSMetadataItemFSCreationDateKey, NSMetadataItemFSContentChangeDateKey,
            NSMetadataItemContentTypeKey, NSMetadataItemContentTypeTreeKey, NSMetadataItemIsUbiquitousKey,
            NSMetadataUbiquitousItemHasUnresolvedConflictsKey, NSMetadataUbiquitousItemDownloadingStatusKey,
            NSMetadataUbiquitousItemIsDownloadingKey, NSMetadataUbiquitousItemIsUploadedKey,
            NSMetadataUbiquitousItemIsUploadingKey, NSMetadataUbiquitousItemPercentDownloadedKey,
            NSMetadataUbiquitousItemPercentUploadedKey, NSMetadataUbiquitousItemDownloadingErrorKey,
            NSMetadataUbiquitousItemUploadingErrorKey, NSMetadataUbiquitousItemDownloadRequestedKey,
            NSMetadataUbiquitousItemIsExternalDocumentKey, NSMetadataUbiquitousItemContainerDisplayNameKey,
            NSMetadataUbiquitousItemURLInLocalContainerKey, NSMetadataUbiquitousItemIsSharedKey,
            NSMetadataUbiquitousSharedItemCurrentUserRoleKey,
            NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey,
            NSMetadataUbiquitousSharedItemOwnerNameComponentsKey,
            NSMetadataUbiquitousSharedItemMostRecentEditorNameComponentsKey,
            NSMetadataQueryUpdateAddedItemsKey, NSMetadataQueryUpdateChangedItemsKey,
            NSMetadataQueryUpdateRemovedItemsKey, NSMetadataQueryUserHomeScope, NSMetadataQueryLocalComputerScope,
            NSMetadataQueryNetworkScope,
        ]
        #expect(Set(notifications).count == notifications.count && Set(attributes).count == attributes.count)
    }
}

/// Replaces items by their names.
private final class Renamer: NSMetadataQueryDelegate {
    func metadataQuery(_ query: NSMetadataQuery, replacementObjectForResultObject result: NSMetadataItem) -> Any {
        result.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? ""
    }
}

@Suite("The API of FileManager, URL and NSUbiquitousKeyValueStore")
struct ServiceSurfaceTests {
    @Test("an item outside all containers is not ubiquitous, and requests for it are refused")
    func outside() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("x".utf8).write(to: url)
            let files = FileManager.default
            #expect(!files.isUbiquitousItem(at: url))
            func refused(_ work: () throws -> Void) { #expect(throws: NSError.self, performing: work) }
            refused { try files.startDownloadingUbiquitousItem(at: url) }
            refused { try files.evictUbiquitousItem(at: url) }
            refused { try files.setUbiquitous(true, itemAt: url, destinationURL: folder.appending(path: "b.txt")) }
            var expiration: NSDate?
            refused { _ = try files.url(forPublishingUbiquitousItemAt: url, expiration: &expiration) }
            await #expect(throws: NSError.self) { try await files.pauseSyncForUbiquitousItem(at: url) }
            for behavior in [
                NSFileManagerResumeSyncBehavior.preserveLocalChanges, .afterUploadWithFailOnConflict, .dropLocalChanges,
            ] {
                await #expect(throws: NSError.self) {
                    try await files.resumeSyncForUbiquitousItem(at: url, with: behavior)
                }
            }
            await #expect(throws: NSError.self) { _ = try await files.fetchLatestRemoteVersionOfItem(at: url) }
            for policy in [
                NSFileManagerUploadLocalVersionConflictPolicy.conflictPolicyDefault, .conflictPolicyFailOnConflict,
            ] {
                await #expect(throws: NSError.self) {
                    _ = try await files.uploadLocalVersionOfUbiquitousItem(
                        at: url, withConflictResolutionPolicy: policy)
                }
            }
            #expect(try String(contentsOf: url, encoding: .utf8) == "x" && expiration == nil)
        }
    }

    @Test("the forms with a completion handler call it with the error")
    func blocks() throws {
        try inFolder { folder in
            let failures = Mutex(0)
            let done = DispatchSemaphore(value: 0)
            let note: @Sendable ((any Error)?) -> Void = { error in
                if error != nil { failures.withLock { $0 += 1 } }
                done.signal()
            }
            let files = FileManager.default
            files.pauseSyncForUbiquitousItem(at: folder, completionHandler: note)
            files.resumeSyncForUbiquitousItem(at: folder, with: .preserveLocalChanges, completionHandler: note)
            files.fetchLatestRemoteVersionOfItem(at: folder) { note($0 == nil ? $1 : nil) }
            files.uploadLocalVersionOfUbiquitousItem(
                at: folder, withConflictResolutionPolicy: .conflictPolicyDefault
            ) { note($0 == nil ? $1 : nil) }
            for _ in 0..<4 { done.wait() }
            #expect(failures.withLock { $0 } == 4)
        }
    }

    @Test("the ubiquitous values of an item outside all containers say so, and have no other values")
    func values() throws {
        try inFolder { folder in
            let values = try folder.promisedItemResourceValues(forKeys: [
                .isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsDownloadingKey,
                .ubiquitousItemDownloadRequestedKey, .ubiquitousItemDownloadingErrorKey, .ubiquitousItemIsUploadedKey,
                .ubiquitousItemIsUploadingKey, .ubiquitousItemUploadingErrorKey,
                .ubiquitousItemHasUnresolvedConflictsKey, .ubiquitousItemContainerDisplayNameKey,
                .ubiquitousItemIsExcludedFromSyncKey, .ubiquitousItemIsSyncPausedKey,
                .ubiquitousItemSupportedSyncControlsKey, .ubiquitousItemIsSharedKey,
            ])
            #expect(values.isUbiquitousItem == false && values.ubiquitousItemDownloadingStatus == nil)
            #expect(values.ubiquitousItemSupportedSyncControls == nil && values.ubiquitousItemIsShared == nil)
            #expect(values.ubiquitousSharedItemCurrentUserRole != .owner)
        }
    }

    @Test("resource values for a literal of keys include ubiquitous values and Foundation's")
    func resourceValues() throws {
        try inFolder { folder in
            let package = folder.appending(path: "a.rtfd")
            try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
            let values = try package.resourceValues(forKeys: [
                .isUbiquitousItemKey, .ubiquitousItemIsUploadedKey, .isDirectoryKey, .nameKey, .isPackageKey,
            ])
            #expect(values.isUbiquitousItem == false && values.ubiquitousItemIsUploaded == nil)
            #expect(values.isDirectory == true && values.name == "a.rtfd" && values.isPackage == true)
            #expect(values.allValues.count == 4 && values.allValues[.isPackageKey] as? Bool == true)
            #expect(try folder.resourceValues(forKeys: [.isPackageKey]).isPackage == false)
            let foundation: URLResourceValues = try package.resourceValues(forKeys: [.isDirectoryKey])
            #expect(foundation.isDirectory == true)
            #expect(try package.checkPromisedItemIsReachable())
            #expect(throws: NSError.self) { _ = try folder.appending(path: "gone").checkPromisedItemIsReachable() }
            var value: AnyObject?
            try (package as NSURL).getPromisedItemResourceValue(&value, forKey: .nameKey)
            #expect(value as? String == "a.rtfd")
            let all = try (package as NSURL).promisedItemResourceValues(forKeys: [.isUbiquitousItemKey, .nameKey])
            #expect(all[.isUbiquitousItemKey] as? Bool == false && all.count == 2)
            #expect(throws: NSError.self) {
                var wanted = UbiquitousItemValues()
                wanted.ubiquitousItemIsExcludedFromSync = true
                try package.setResourceValues(wanted)
            }
        }
    }

    @Test("every typed getter returns what its setter stored, and a removed key has no value")
    func keyValues() {
        let store = NSUbiquitousKeyValueStore(
            containerIdentifier: "com.example.surface-\(UUID().uuidString.lowercased())")
        store.set("text", forKey: "string")
        store.set(Data([1, 2]), forKey: "data")
        store.set([1, "two"] as [Any], forKey: "array")
        store.set(["a": 1] as [String: Any], forKey: "dictionary")
        store.set(Int64(7), forKey: "longLong")
        store.set(1.5, forKey: "double")
        store.set(true, forKey: "bool")
        store.set(Date(timeIntervalSinceReferenceDate: 5) as Any?, forKey: "object")
        store.set("gone", forKey: "removed")
        store.removeObject(forKey: "removed")
        #expect(store.synchronize())
        #expect(store.string(forKey: "string") == "text" && store.data(forKey: "data") == Data([1, 2]))
        #expect(store.array(forKey: "array")?.count == 2 && store.dictionary(forKey: "dictionary")?.count == 1)
        #expect(store.longLong(forKey: "longLong") == 7 && store.double(forKey: "double") == 1.5)
        #expect(store.bool(forKey: "bool") && store.object(forKey: "object") is Date)
        #expect(store.object(forKey: "removed") == nil && store.longLong(forKey: "removed") == 0)
        #expect(store.dictionaryRepresentation.count == 8)
        for key in store.dictionaryRepresentation.keys { store.removeObject(forKey: key) }
        #expect(store.synchronize() && store.dictionaryRepresentation.isEmpty)
        let reasons = [
            NSUbiquitousKeyValueStoreServerChange, NSUbiquitousKeyValueStoreInitialSyncChange,
            NSUbiquitousKeyValueStoreQuotaViolationChange, NSUbiquitousKeyValueStoreAccountChange,
        ]
        #expect(reasons == [0, 1, 2, 3])
        #expect(!NSUbiquitousKeyValueStoreChangeReasonKey.isEmpty && !NSUbiquitousKeyValueStoreChangedKeysKey.isEmpty)
    }

    @Test("a number keeps its type, as Swift's own type and as NSNumber; numbers beyond 64 bits are refused")
    func numbers() throws {
        let store = NSUbiquitousKeyValueStore(
            containerIdentifier: "com.example.surface-\(UUID().uuidString.lowercased())")
        let large = Int64(9_007_199_254_740_993)
        let values: [(String, Any)] = [
            ("boxed", NSNumber(value: large)), ("own", large), ("int", 7), ("one", NSNumber(value: 1)),
            ("true", NSNumber(value: true)), ("false", false), ("real", NSNumber(value: 1.0)), ("float", Float(0.5)),
            ("small", UInt8(200)), ("list", [NSNumber(value: Int64.min), true, 2.5] as [Any]),
        ]
        for (key, value) in values { store.set(value as Any?, forKey: key) }
        store.set(UInt64.max as Any?, forKey: "beyond")
        #expect(store.longLong(forKey: "boxed") == large && store.longLong(forKey: "own") == large)
        #expect(store.object(forKey: "boxed") as? Int64 == large && store.object(forKey: "int") as? Int == 7)
        #expect(store.object(forKey: "boxed").map { "\($0)" } == "9007199254740993")
        #expect(store.object(forKey: "true") as? Bool == true && store.object(forKey: "false") as? Bool == false)
        let kinds = ["one", "true", "real"].map { key in
            (store.object(forKey: key) as? NSNumber).map { String(cString: $0.objCType) }
        }
        // Foundation may represent small integers with either type.
        #expect(["i", "q"].contains(kinds[0]) && kinds[1] == "c" && kinds[2] == "d")
        #expect(store.double(forKey: "float") == 0.5 && store.longLong(forKey: "small") == 200)
        let list = try #require(store.array(forKey: "list"))
        #expect(list[0] as? Int64 == Int64.min && list[1] as? Bool == true && list[2] as? Double == 2.5)
        #expect(store.object(forKey: "beyond") == nil)
        for key in store.dictionaryRepresentation.keys { store.removeObject(forKey: key) }
        store.synchronize()
    }

    @Test("data that exceeds a store's limit is a quota violation, and none of it is stored")
    func quota() {
        let store = NSUbiquitousKeyValueStore(
            containerIdentifier: "com.example.surface-\(UUID().uuidString.lowercased())")
        let reason = Mutex<Int?>(nil)
        let posted = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
        ) { note in
            reason.withLock { $0 = note.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int }
            posted.signal()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        store.set(Data(count: 2 << 20), forKey: "large")
        posted.wait()
        #expect(reason.withLock { $0 } == NSUbiquitousKeyValueStoreQuotaViolationChange)
        #expect(store.data(forKey: "large") == nil)
    }
}
