import Foundation
import Synchronization
import Ubiquity

/// Single calls of the library, as in a program for Apple's platforms. Prints the result of each.
///
/// - `container NAME`, `token`, `download FILE`, `evict FILE`, `exclude FILE`, `values FILE`, `groups FOLDER`,
///   `updates FOLDER`, `upload FILE`: the calls of those names.
/// - `progress FILE`: subscribes to the progress of FILE, downloads it, and prints everything published until the
///   progress is unpublished.
/// - `move in|out FROM TO`: presents FROM, and keeps it open as a document if it is a file; moves it, edits the
///   document, and prints both places.
/// - `announce FROM TO`: the same in a program that copies and removes the file itself, and announces the move.
enum LibraryActions {
    static func run(_ arguments: ArraySlice<String>) async throws {
        let words = Array(arguments)
        if words[0] == "updates" { return try await updates(words[1]) }
        do { try perform(words[0], words.count > 1 ? words[1] : "", Array(words.dropFirst(2))) } catch {
            let error = error as NSError
            PresenterTool.say("\(error.domain) \(error.code): \(error.localizedDescription)")
        }
    }

    private static func perform(_ action: String, _ first: String, _ rest: [String]) throws {
        let (files, url) = (FileManager.default, URL(filePath: first))
        switch action {
        case "container":
            let folder = files.url(forUbiquityContainerIdentifier: first.isEmpty ? nil : first)
            return PresenterTool.say(folder?.path ?? "none")
        case "token": return PresenterTool.say(PresenterTool.token)
        case "download": try files.startDownloadingUbiquitousItem(at: url)
        case "progress": return try progress(url)
        case "document": return document(url)
        case "evict": try files.evictUbiquitousItem(at: url)
        case "exclude": try files.setIsExcludedFromSync(true, at: url)
        case "include":
            var values = UbiquitousItemValues()
            values.ubiquitousItemIsExcludedFromSync = false
            try url.setResourceValues(values)
        case "pause":
            return PresenterTool.say(try controls(url).contains(.pauseSync) ? "can be paused" : "cannot be paused")
        case "values": return PresenterTool.say(try values(url))
        case "groups": return groups(url)
        case "upload": return try upload(url)
        case "move":
            try move(URL(filePath: rest[0]), to: URL(filePath: rest[1])) { from, to in
                try files.setUbiquitous(first == "in", itemAt: from, destinationURL: to)
            }
            return
        case "announce":
            try move(url, to: URL(filePath: rest[0]), announcedMove)
            return
        default: throw CocoaError(.featureUnsupported)
        }
        PresenterTool.say(action)
    }

    // MARK: Moves

    private static func move(_ from: URL, to: URL, _ work: (URL, URL) throws -> Void) throws {
        let observer = RecordingPresenter(from, isDeaf: false, yields: false, go: nil)
        NSFileCoordinator.addFilePresenter(observer)
        defer { NSFileCoordinator.removeFilePresenter(observer) }
        let isFolder = (try from.resourceValues(forKeys: [.isDirectoryKey])).isDirectory == true
        let document = isFolder ? nil : Text(fileURL: from)
        if let document { wait { document.open(completionHandler: $0) } }
        try work(from, to)
        PresenterTool.say("presented at \(observer.presentedItemURL?.path ?? "nowhere")")
        guard let document else { return }
        document.add(" and more")
        wait { document.close(completionHandler: $0) }
        PresenterTool.say("document at \(document.fileURL.path)")
    }

    private static func announcedMove(_ from: URL, _ to: URL) throws {
        let coordinator = NSFileCoordinator()
        var (error, failure): (NSError?, (any Error)?)
        coordinator.coordinate(
            writingItemAt: from, options: .forMoving, writingItemAt: to, options: .forReplacing, error: &error
        ) { old, new in
            coordinator.item(at: old, willMoveTo: new)
            do { try FileManager.default.moveItem(at: old, to: new) } catch { failure = error }
            coordinator.item(at: old, didMoveTo: new)
        }
        if let failure = failure ?? error { throw failure }
    }

    private static func wait(_ work: (@escaping @Sendable (Bool) -> Void) -> Void) {
        let done = DispatchSemaphore(value: 0)
        work { isDone in
            if !isDone { PresenterTool.say("it failed") }
            done.signal()
        }
        done.wait()
    }

    private static func updates(_ folder: String) async throws {
        for try await update in try NSMetadataQuery.updates(matching: "name LIKE '*.txt'", scopes: [folder]) {
            let names = update.added.compactMap { $0.value(forAttribute: NSMetadataItemFSNameKey) as? String }
            if !names.isEmpty { PresenterTool.say("added \(names.sorted().joined(separator: " "))") }
            guard !update.isGathered else { return }
        }
    }

    private static func upload(_ url: URL) throws {
        var error: NSError?
        NSFileCoordinator().coordinate(readingItemAt: url, options: .forUploading, error: &error) { copy in
            for url in [copy.deletingLastPathComponent(), copy] {
                // A nonexistent file has no permissions.
                let values = (try? FileManager.default.attributesOfItem(atPath: url.path)) ?? [:]
                PresenterTool.say(String(values[.posixPermissions] as? Int ?? 0, radix: 8))
            }
        }
        if let error { throw error }
    }

    private static func progress(_ url: URL) throws {
        let over = DispatchSemaphore(value: 0)
        let subscriber = Progress.addSubscriber(forFileURL: url) { progress in
            let kind = progress.userInfo[.fileOperationKindKey] as? Progress.FileOperationKind
            PresenterTool.say("published \(progress.totalUnitCount) bytes, \(kind?.rawValue ?? "no kind")")
            PresenterTool.say(progress.isFinished ? "finished at once" : "under way")
            return {
                PresenterTool.say("unpublished at \(progress.completedUnitCount)")
                over.signal()
            }
        }
        try FileManager.default.startDownloadingUbiquitousItem(at: url)
        if over.wait(timeout: .now() + 60) == .timedOut { PresenterTool.say("nothing was unpublished") }
        Progress.removeSubscriber(subscriber)
    }

    /// Opens a document, and says how large the transfer was that its progress showed meanwhile.
    private static func document(_ url: URL) {
        let document = UbiquitousDocument(fileURL: url)
        let opened = DispatchSemaphore(value: 0)
        document.open { _ in opened.signal() }
        var total: Int64?
        while opened.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
            total = document.progress?.totalUnitCount ?? total
        }
        PresenterTool.say("progress of \(total ?? 0) bytes")
        document.close { _ in opened.signal() }
        opened.wait()
        PresenterTool.say(document.progress == nil ? "no progress" : "a progress")
    }

    // MARK: Values

    private static func controls(_ url: URL) throws -> NSFileManagerSupportedSyncControls {
        let values = try url.resourceValues(forKeys: [.ubiquitousItemSupportedSyncControlsKey])
        return values.ubiquitousItemSupportedSyncControls ?? []
    }

    private static func values(_ url: URL) throws -> String {
        let values = try url.resourceValues(forKeys: [
            .nameKey, .isPackageKey, .isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey,
            .ubiquitousItemIsUploadedKey, .ubiquitousItemIsDownloadedKey, .ubiquitousItemPercentDownloadedKey,
            .ubiquitousItemIsExcludedFromSyncKey,
        ])
        let status = values.ubiquitousItemDownloadingStatus?.rawValue.dropFirst("NSURL".count) ?? "no status"
        let flags: [(String, Bool?)] = [
            ("package", values.isPackage), ("ubiquitous", values.isUbiquitousItem),
            ("uploaded", values.ubiquitousItemIsUploaded), ("downloaded", values.ubiquitousItemIsDownloaded),
            ("excluded", values.ubiquitousItemIsExcludedFromSync),
        ]
        let percent = values.ubiquitousItemPercentDownloaded.map { "\(Int($0)) %" } ?? "no share"
        let words = flags.map { name, flag in flag.map { $0 ? name : "not \(name)" } ?? "no \(name)" }
        return ([values.name ?? "nameless", "\(status)", percent] + words + ["\(values.allValues.count) values"])
            .joined(separator: ", ")
    }

    private static func groups(_ folder: URL) {
        let query = NSMetadataQuery()
        let gathered = DispatchSemaphore(value: 0)
        query.searchScopes = [folder]
        query.predicate = NSPredicate(format: "%K LIKE '*.txt'", NSMetadataItemFSNameKey)
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        query.groupingAttributes = [NSMetadataItemFSSizeKey]
        query.valueListAttributes = [NSMetadataItemFSSizeKey]
        query.operationQueue = OperationQueue()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering, object: query, queue: nil
        ) { _ in gathered.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        guard query.start() else { return PresenterTool.say("not started") }
        gathered.wait()
        for group in query.groupedResults {
            PresenterTool.say("group \((group.value as? NSNumber)?.intValue ?? -1): \(group.results.count)")
        }
        for tuple in query.valueLists[NSMetadataItemFSSizeKey] ?? [] {
            PresenterTool.say("value \((tuple.value as? NSNumber)?.intValue ?? -1): \(tuple.count)")
        }
        query.stop()
    }
}

/// A text document saved on close.
// All mutable state is behind a Mutex.
private final class Text: UbiquitousDocument, @unchecked Sendable {
    private let content = Mutex("")

    func add(_ text: String) {
        content.withLock { $0 += text }
        updateChangeCount(.done)
    }

    override func contents(forType typeName: String) throws -> Any { Data(content.withLock { $0 }.utf8) }
    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
        content.withLock { $0 = text }
    }
}

extension PresenterTool {
    static var token: String { FileManager.default.ubiquityIdentityToken.map { "token \($0)" } ?? "no token" }

    static func watchIdentity() {
        let observer = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange, object: nil, queue: nil
        ) { _ in say("changed: \(token == "no token" ? "none" : "some")") }
        defer { NotificationCenter.default.removeObserver(observer) }
        // Reads the token for comparison with later changes.
        guard token != "no token" else { return say("no token") }
        say("watching")
        while readLine() != nil {}
    }

    static func serveStore(_ container: String) {
        let store = NSUbiquitousKeyValueStore(containerIdentifier: container)
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
        ) { notification in
            let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int ?? -1
            let keys = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            say("reason \(reason): \(keys.sorted().joined(separator: " "))")
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        store.synchronize()
        say("serving")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "set": store.set(words[2], forKey: words[1])
            case "remove": store.removeObject(forKey: words[1])
            case "get": say("\(words[1]) = \(store.string(forKey: words[1]) ?? "nothing")")
            case "fill":
                for number in 0..<(Int(words[2]) ?? 0) {
                    store.set(Data(count: Int(words[3]) ?? 0), forKey: "\(words[1])\(number)")
                }
            case "count": say("\(store.dictionaryRepresentation.count) keys")
            case "flush": say(store.synchronize() ? "flushed" : "not flushed")
            default: say("There is no such command.")
            }
        }
    }
}
