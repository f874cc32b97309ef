import DaemonProtocol
public import Foundation
import Queries
import Synchronization

extension Notification.Name {
    public static let NSMetadataQueryDidStartGathering = Notification.Name("NSMetadataQueryDidStartGathering")
    public static let NSMetadataQueryGatheringProgress = Notification.Name("NSMetadataQueryGatheringProgress")
    public static let NSMetadataQueryDidFinishGathering = Notification.Name("NSMetadataQueryDidFinishGathering")
    public static let NSMetadataQueryDidUpdate = Notification.Name("NSMetadataQueryDidUpdate")
}

/// Finds documents in containers and keeps the results up to date: names, sizes, and the progress of their sync. The
/// daemon reads them from its database; nothing is downloaded, and no folder is walked.
///
/// Apple's name: `NSMetadataQuery`. Results change and notifications are posted only on ``operationQueue``. Without a
/// queue they are posted on the run loop of the thread calling ``start()``, or on the main queue if that was the main
/// thread or a task; the program then has to run it. A query applies to the mount of
/// ``FileManager/url(forUbiquityContainerIdentifier:)``.
// Mutable state is behind a Mutex.
open class NSMetadataQuery: NSObject, @unchecked Sendable {
    struct State {
        var predicate = Fixed<NSPredicate?>(nil)
        var sortDescriptors = Fixed<[NSSortDescriptor]>([])
        var searchScopes = Fixed<[Any]>([])
        var searchItems = Fixed<[Any]?>(nil)
        var restriction = QueryRestriction()
        weak var delegate: (any NSMetadataQueryDelegate)?
        /// The delegate's item replacements.
        var replacements: [ObjectIdentifier: Fixed<Any>] = [:]
        var valueListAttributes: [String] = []
        var groupingAttributes: [String]?
        var interval: TimeInterval = 1
        var queue: OperationQueue?
        var delivery: RunLoopDelivery?
        var feed: MetadataFeed?
        var root = ""
        var isGathering = false
        var isStarted = false
        var isStopped = false
        var disables = 0
        var isScheduled = false
        var byNumber: [UInt64: NSMetadataItem] = [:]
        var results: [NSMetadataItem] = []
        var lastFailure: NSError?
    }

    let state = Mutex(State())

    // MARK: Search criteria

    /// The query's predicate; nil finds all items.
    ///
    /// Create it with ``Foundation/NSPredicate/init(format:_:)``. Any other predicate on ``NSMetadataItem`` is
    /// evaluated in this process for every item in the scopes. Conflict versions are not results, unless the predicate
    /// uses `NSMetadataUbiquitousItemConflictOfKey`.
    ///
    /// If the query is running, it restarts with the new predicate, as it does with new scopes, items and sort
    /// descriptors: its results are discarded, and gathering begins again.
    open var predicate: NSPredicate? {
        get { state.withLock { $0.predicate }.value }
        set {
            let new = Fixed(newValue)
            change { $0.predicate = new }
        }
    }

    open var sortDescriptors: [NSSortDescriptor] {
        get { state.withLock { $0.sortDescriptors }.value }
        set {
            let new = Fixed(newValue)
            change { $0.sortDescriptors = new }
        }
    }

    /// `NSMetadataQueryUbiquitousDocumentsScope` and the like, and folders as URLs or paths; empty for everything in containers.
    open var searchScopes: [Any] {
        get { state.withLock { $0.searchScopes }.value }
        set {
            let new = Fixed(newValue)
            change { $0.searchScopes = new }
        }
    }

    /// Restricts the query to these items: results of another query, URLs or paths. Nil for no restriction.
    open var searchItems: [Any]? {
        get { state.withLock { $0.searchItems }.value }
        set {
            let new = Fixed(newValue)
            change { $0.searchItems = new }
        }
    }

    /// Attributes for ``valueLists``.
    open var valueListAttributes: [String] {
        get { state.withLock { $0.valueListAttributes } }
        set { state.withLock { $0.valueListAttributes = newValue } }
    }

    /// Attributes for ``groupedResults``.
    open var groupingAttributes: [String]? {
        get { state.withLock { $0.groupingAttributes } }
        set { state.withLock { $0.groupingAttributes = newValue } }
    }

    /// The number of seconds to gather changes before posting them.
    open var notificationBatchingInterval: TimeInterval {
        get { state.withLock { $0.interval } }
        set { state.withLock { $0.interval = max(0, newValue) } }
    }

    open var operationQueue: OperationQueue? {
        get { state.withLock { $0.queue } }
        set { state.withLock { $0.queue = newValue } }
    }

    // MARK: Life

    open var isStarted: Bool { state.withLock { $0.isStarted } }
    open var isGathering: Bool { state.withLock { $0.isGathering } }
    open var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Why the query did not start, or ended. Not part of Apple's API.
    open var failure: NSError? { state.withLock { $0.lastFailure } }

    /// Starts the query. Returns false if nothing is mounted, the predicate is invalid, or the query is running already.
    @discardableResult
    open func start() -> Bool { start(on: operationQueue == nil ? RunLoopDelivery.ofThread() : nil) }

    private func start(on delivery: RunLoopDelivery?) -> Bool {
        let isStarted = begin(on: delivery)
        if !isStarted { delivery?.end() }
        return isStarted
    }

    private func begin(on delivery: RunLoopDelivery?) -> Bool {
        guard !isStarted || isStopped, let mount = ClaimRouter.shared.principalMount else { return false }
        let restriction = restriction
        guard let request = request(restriction) else { return false }
        let feed = MetadataFeed(mount, request) { [weak self] in self?.schedule() }
        state.withLock { state in
            (state.feed, state.root, state.delivery) = (feed, mount.root, delivery)
            (state.isStarted, state.isGathering, state.isStopped) = (true, true, false)
            (state.results, state.byNumber, state.lastFailure) = ([], [:], nil)
            (state.restriction, state.replacements) = (restriction, [:])
        }
        perform { [weak self] in self?.post(.NSMetadataQueryDidStartGathering) }
        do throws(DaemonFailure) { try feed.start() } catch {
            fail(error)
            return false
        }
        return true
    }

    /// Changes a search criterion or the order. A running query restarts, so that its results never mix old
    /// and new ones.
    private func change(_ change: (inout State) -> Void) {
        let (isRunning, delivery) = state.withLock { state in
            change(&state)
            return (state.isStarted && !state.isStopped, state.delivery)
        }
        guard isRunning else { return }
        end()
        _ = start(on: delivery)
    }

    /// Stops the query; the results stay as they are.
    open func stop() {
        end()
        state.withLock { $0.delivery.take() }?.end()
    }

    private func end() {
        let feed = state.withLock { state in
            (state.isStopped, state.isGathering) = (true, false)
            return state.feed.take()
        }
        feed?.stop()
    }

    deinit {
        state.withLock { $0.feed }?.stop()
        state.withLock { $0.delivery }?.end()
    }

    private func fail(_ failure: DaemonFailure) {
        state.withLock { $0.lastFailure = CoordinationFailure.error(.fileReadUnknown, failure.description, at: nil) }
        stop()
    }

    var restriction: QueryRestriction { QueryRestriction(scopes: searchScopes, items: searchItems) }

    func request(_ restriction: QueryRestriction) -> FindRequest? {
        let (predicate, interval) = (predicate, notificationBatchingInterval)
        var wanted = QueryPredicate.always(true)
        switch predicate.flatMap(\.metadataPredicate) {
        case .success(let predicate)?: wanted = predicate
        case .failure(let error)?:
            state.withLock {
                $0.lastFailure = CoordinationFailure.error(.coderInvalidValue, error.description, at: nil)
            }
            return nil
        case nil: break
        }
        // Programs get conflict versions from NSFileVersion, and treat results as documents.
        if !wanted.mentions(.conflictOf) {
            wanted = .all([wanted, .comparison(Comparison(.conflictOf, .equal, [.null]))])
        }
        return FindRequest(
            predicate: wanted.description, scopes: restriction.scopes, live: true, interval: min(interval, 3_600))
    }

    // MARK: Notifying the program

    private func perform(_ work: @escaping @Sendable () -> Void) {
        let (queue, delivery) = state.withLock { ($0.queue, $0.delivery) }
        if queue == nil, let delivery { return delivery.perform(work) }
        (queue ?? .main).addOperation(work)
    }

    /// Schedules the delivery of new changes on the queue, once however many arrive.
    func schedule() {
        let begins = state.withLock { state in
            guard !state.isScheduled, state.disables == 0 else { return false }
            state.isScheduled = true
            return true
        }
        if begins { perform { [weak self] in self?.takeChanges() } }
    }

    private func takeChanges() {
        let feed = state.withLock { state in
            state.isScheduled = false
            return state.disables == 0 ? state.feed : nil
        }
        guard let update = feed?.take() else { return }
        if let failure = update.failure { fail(failure) }
        let wasGathering = isGathering
        let changes = apply(update)
        noteReplacements(added: changes.added, removed: [])
        let info = [
            NSMetadataQueryUpdateAddedItemsKey: replaced(changes.added),
            NSMetadataQueryUpdateChangedItemsKey: replaced(changes.changed),
            NSMetadataQueryUpdateRemovedItemsKey: replaced(changes.removed),
        ]
        noteReplacements(added: [], removed: changes.removed)
        guard wasGathering else { return post(.NSMetadataQueryDidUpdate, info) }
        guard update.isGathered else { return post(.NSMetadataQueryGatheringProgress, info) }
        state.withLock { $0.isGathering = false }
        post(.NSMetadataQueryDidFinishGathering, info)
    }

    private func post(_ name: Notification.Name, _ info: [String: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }
}
