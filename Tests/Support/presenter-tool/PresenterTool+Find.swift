import Foundation
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

/// Shows items of queries by their names.
private final class Names: NSMetadataQueryDelegate {
    func metadataQuery(_ query: NSMetadataQuery, replacementObjectForResultObject result: NSMetadataItem) -> Any {
        result.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "nameless"
    }
}
