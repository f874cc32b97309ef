import DaemonProtocol
import Foundation
import Queries
import Synchronization

extension MountAuthority {
    /// Returns the item a query would find at the path; nil if there is none, or if the daemon does not respond within
    /// ten seconds.
    func item(at absolute: String) -> FoundItem? {
        let name = (absolute as NSString).lastPathComponent
        // `IN` takes names literally, even if they contain wildcards.
        let predicate = QueryPredicate.all([
            .comparison(Comparison(.name, .among, [.text(name)])),
            .comparison(Comparison(.path, .among, [.text(absolute)])),
        ])
        let (result, isOver) = (SharedItem(), DispatchSemaphore(value: 0))
        guard
            let end = try? follow(
                FindRequest(predicate: predicate.description),
                onEvent: { event in
                    if case .found(let items) = event, let item = items.added.first { result.set(item) }
                }, onEnd: { _ in isOver.signal() })
        else { return nil }
        if isOver.wait(timeout: .now() + 10) == .timedOut { end() }
        return result.item
    }
}

/// The found item, set by the thread reading the connection.
private final class SharedItem: Sendable {
    private let state = Mutex<FoundItem?>(nil)
    var item: FoundItem? { state.withLock { $0 } }
    func set(_ item: FoundItem) { state.withLock { $0 = item } }
}
