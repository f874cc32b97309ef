import Foundation
import Synchronization
import Ubiquity

extension PresenterTool {
    static func find(_ folder: URL, _ items: ArraySlice<String>) {
        let query = NSMetadataQuery()
        let (names, gathered) = (Names(), DispatchSemaphore(value: 0))
        query.searchScopes = [folder]
        if !items.isEmpty { query.searchItems = items.map { URL(filePath: $0) } }
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        query.operationQueue = OperationQueue()
        query.delegate = names
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering, object: query, queue: nil
        ) { _ in gathered.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        guard query.start() else { return say("not started: \(query.failure?.localizedDescription ?? "no mount")") }
        gathered.wait()
        query.enumerateResults { name, _, _ in say("\(name)") }
        query.stop()
    }
}

extension PresenterTool {
    /// Prints the results of a query while its predicate, its order and its scope change, with a line between them, and
    /// then the item at a URL.
    static func refind(_ folder: URL) {
        let query = NSMetadataQuery()
        let gathered = DispatchSemaphore(value: 0)
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        query.operationQueue = OperationQueue()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering, object: query, queue: nil
        ) { _ in gathered.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        guard query.start() else { return say("not started: \(query.failure?.localizedDescription ?? "no mount")") }
        func name(_ item: Any?) -> String {
            (item as? NSMetadataItem)?.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "no item"
        }
        func sayResults() {
            gathered.wait()
            for item in query.results { say(name(item)) }
            say("-")
        }
        sayResults()
        query.predicate = NSPredicate(fromMetadataQueryString: "kMDItemFSName == \"*.TXT\"c")
        sayResults()
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: false)]
        sayResults()
        query.searchScopes = [folder]
        sayResults()
        query.stop()
        say(name(NSMetadataItem(url: folder.appending(path: "b.txt"))))
    }
}

extension PresenterTool {
    /// Prints the results of a query started by a thread with its own run loop while the main thread waits, and those
    /// after a change.
    static func findOnThread(_ folder: URL) {
        let ended = DispatchSemaphore(value: 0)
        let thread = Thread {
            let query = NSMetadataQuery()
            query.searchScopes = [folder]
            let updates = Mutex(0)
            let observers = [Notification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate].map {
                name in
                NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) { _ in
                    updates.withLock { $0 += 1 }
                    say("\(query.resultCount) on \(Thread.isMainThread ? "the main thread" : "the finder")")
                }
            }
            if !query.start() { say("not started: \(query.failure?.localizedDescription ?? "no mount")") }
            while updates.withLock({ $0 < 2 }),
                RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
            {}
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
            query.stop()
            ended.signal()
        }
        thread.start()
        ended.wait()
        while readLine() != nil {}
    }
}

/// Replaces items of queries by their names.
private final class Names: NSMetadataQueryDelegate {
    func metadataQuery(_ query: NSMetadataQuery, replacementObjectForResultObject result: NSMetadataItem) -> Any {
        result.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "nameless"
    }
}
