import DaemonProtocol
import Foundation
import Synchronization

/// A store in memory: the daemon's values, overlaid with local values not yet accepted by the daemon.
final class KeyValueEngine: Sendable {
    struct State {
        var known: [String: PropertyValue] = [:]
        /// The values to send; a nil value removes the key.
        var written: [String: PropertyValue?] = [:]
        /// Whether the journal on the disk holds the current `written`.
        var isJournaled = false
        var isLoaded = false
        var isFlushScheduled = false
        var isRetryScheduled = false
        /// Ends the store's observation; nil while the store is not observed.
        var end: (@Sendable () -> Void)?
        var account: String?
        var onChange: (@Sendable (Int, [String]) -> Void)?
    }

    let container: String
    private let journal: KeyValueJournal
    private let cache: KeyValueCache
    let state = Mutex(State())
    /// The serial queue for the engine's requests to the daemon.
    let queue = DispatchQueue(label: "ubiquity.keyvalues")
    private let notifications = DispatchQueue(label: "ubiquity.keyvalues.notifications")

    init(_ container: String) {
        self.container = container
        journal = KeyValueJournal(container)
        cache = KeyValueCache(container)
    }

    deinit { state.withLock { $0.end }?() }

    func onChange(_ action: @escaping @Sendable (Int, [String]) -> Void) { state.withLock { $0.onChange = action } }

    // MARK: Reading and writing

    func value(_ key: String) -> PropertyValue? {
        load()
        return state.withLock { state in
            if let written = state.written[key] { return written }
            return state.known[key]
        }
    }

    var values: [String: PropertyValue] {
        load()
        return state.withLock { state in
            state.known.merging(state.written.compactMapValues(\.self)) { $1 }
                .filter { state.written[$0.key].map { $0 != nil } ?? true }
        }
    }

    func set(_ value: PropertyValue?, _ key: String) {
        load()
        guard (1...64).contains(key.utf8.count), !key.utf8.contains(0),
            value.map({ $0.encoded().map { $0.count <= 1 << 20 } ?? false }) ?? true
        else { return refuse(key) }
        state.withLock { state in
            state.written[key] = .some(value)
            state.isJournaled = false
        }
        // Consecutive writes are sent together.
        schedule(\.isFlushScheduled, .milliseconds(100))
    }

    /// Posts a quota violation for an unwritten value.
    func refuse(_ key: String) {
        post(NSUbiquitousKeyValueStoreQuotaViolationChange, [key])
    }

    func synchronize() -> Bool {
        load()
        return queue.sync { flush() }
    }

    // MARK: Memory, journal and daemon

    private func load() {
        guard !state.withLock({ $0.isLoaded }) else { return }
        queue.sync {
            guard !state.withLock({ $0.isLoaded }) else { return }
            let journaled = journal.read()
            state.withLock { state in
                state.isLoaded = true
                state.written = journaled.merging(state.written) { $1 }
            }
            // The program's knowledge when it was closed: it is notified of changes since then.
            showKept()
            let isFetched = fetch()
            if !isFetched || !journaled.isEmpty { tryLater() }
        }
    }

    /// Shows the last daemon's values while no daemon runs.
    private func showKept() {
        guard let kept = cache.read() else { return }
        state.withLock { state in
            guard state.account == nil else { return }
            (state.known, state.account) = (kept.values, kept.account)
        }
    }

    /// Stores the daemon's values for a time without a daemon. They are durable when this method returns.
    func keepKnown() {
        let (account, values) = state.withLock { ($0.account, $0.known) }
        // Best effort: unstorable values are read from the next daemon.
        if let account { cache.write(KeyValueCache.Kept(account: account, values: values)) }
    }

    /// Retries after one second if there is no daemon, or if it does not accept the written values.
    func tryLater() { schedule(\.isRetryScheduled, .seconds(1)) }

    /// Schedules work; at most one item of each kind waits, however often it is requested.
    private func schedule(_ mark: any WritableKeyPath<State, Bool> & Sendable, _ pause: DispatchTimeInterval) {
        let begins = state.withLock { state in
            defer { state[keyPath: mark] = true }
            return !state[keyPath: mark]
        }
        guard begins else { return }
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self else { return }
            state.withLock { $0[keyPath: mark] = false }
            let isConnected = state.withLock { $0.end != nil } || fetch()
            if !flush() || !isConnected || state.withLock({ !$0.written.isEmpty }) { tryLater() }
        }
    }

    /// Sends the written values to the daemon or, without a daemon, stores them in the journal. Returns false if they
    /// exist only in memory.
    private func flush() -> Bool {
        let (written, isJournaled) = state.withLock { ($0.written, $0.isJournaled) }
        guard !written.isEmpty else { return true }
        guard let mount = ClaimRouter.shared.principalMount else { return isJournaled || write(written) }
        let (taken, refused) = KeyValueFlush { [container] part throws(DaemonFailure) in
            let set = part.compactMapValues { $0?.encoded().map { Data($0) } }
            let removed = part.keys.filter { set[$0] == nil }.sorted()
            _ = try mount.call(SetKeyValuesRequest(container: container, set: set, remove: removed))
        }.send(written)
        forget(taken, areKnown: true)
        forget(refused, areKnown: false)
        if !refused.isEmpty { post(NSUbiquitousKeyValueStoreQuotaViolationChange, refused.keys.sorted()) }
        if !taken.isEmpty { keepKnown() }
        guard taken.count + refused.count == written.count else {
            let rest = state.withLock { $0.written }
            return isJournaled || write(rest)
        }
        journal.remove()
        return true
    }

    private func write(_ written: [String: PropertyValue?]) -> Bool {
        let isWritten = journal.write(written)
        state.withLock { state in if state.written == written { state.isJournaled = isWritten } }
        return isWritten
    }

    /// Removes values accepted or refused by the daemon. Values written meanwhile stay.
    private func forget(_ written: [String: PropertyValue?], areKnown: Bool) {
        state.withLock { state in
            for (key, value) in written {
                if areKnown { state.known[key] = value }
                if state.written[key] == .some(value) { state.written[key] = nil }
            }
        }
    }

    /// Calls the observer on a separate queue, since observers may use this store.
    func post(_ reason: Int, _ keys: [String]) {
        guard let onChange = state.withLock({ $0.onChange }) else { return }
        notifications.async { onChange(reason, keys) }
    }
}
