import DaemonProtocol
import Foundation
import Synchronization

/// A store in memory: what the daemon has, and before it what was written here and not taken by the daemon yet.
final class KeyValueEngine: Sendable {
    private struct State {
        var known: [String: PropertyValue] = [:]
        /// Nil: removed.
        var written: [String: PropertyValue?] = [:]
        /// What the journal on the disk holds of it.
        var isJournaled = false
        var isLoaded = false
        var isFlushScheduled = false
        var end: (@Sendable () -> Void)?
        var account: String?
        var onChange: (@Sendable (Int, [String]) -> Void)?
    }

    private let container: String
    private let journal: KeyValueJournal
    private let state = Mutex(State())
    /// Talks to the daemon, one thing after another.
    private let queue = DispatchQueue(label: "ubiquity.keyvalues")
    private let news = DispatchQueue(label: "ubiquity.keyvalues.news")

    init(_ container: String) {
        self.container = container
        journal = KeyValueJournal(container)
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
        let begins = state.withLock { state in
            state.written[key] = .some(value)
            state.isJournaled = false
            defer { state.isFlushScheduled = true }
            return !state.isFlushScheduled
        }
        // Writes that follow each other go together.
        if begins { flushLater(.milliseconds(100)) }
    }

    /// Tells that a value was not written.
    func refuse(_ key: String) {
        tell(NSUbiquitousKeyValueStoreQuotaViolationChange, [key])
    }

    func synchronize() -> Bool {
        load()
        return queue.sync { flush() }
    }

    // MARK: The daemon

    private func load() {
        guard !state.withLock({ $0.isLoaded }) else { return }
        queue.sync {
            guard !state.withLock({ $0.isLoaded }) else { return }
            let journaled = journal.read()
            state.withLock { state in
                state.isLoaded = true
                state.written = journaled.merging(state.written) { $1 }
            }
            if !fetch() || !journaled.isEmpty { flushLater(.seconds(1)) }
        }
    }

    private func flushLater(_ pause: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isFlushScheduled = false }
            let isConnected = state.withLock { $0.end != nil } || fetch()
            if !flush() || !isConnected || state.withLock({ !$0.written.isEmpty }) { flushLater(.seconds(1)) }
        }
    }

    /// Listens to the store and reads all of it. False where there is no daemon.
    private func fetch() -> Bool {
        guard let mount = ClaimRouter.shared.principalMount else { return false }
        do throws(DaemonFailure) {
            let end = try mount.follow(.watchKeyValues(WatchKeyValuesRequest(container: container))) {
                [weak self] event in
                guard let self, case .keyValues(let news) = event, !news.keys.isEmpty else { return }
                queue.async { self.take(news) }
            } onEnd: { [weak self] _ in
                guard let self else { return }
                queue.async { self.lost() }
            }
            let values = try read(mount, nil)
            let account = Self.account(mount)
            let (isOther, changed) = state.withLock { state in
                defer { (state.known, state.end, state.account) = (values, end, account) }
                let changed = Set(values.keys).union(state.known.keys).filter { values[$0] != state.known[$0] }
                return (state.account != nil && state.account != account, state.account == nil ? [] : changed)
            }
            // After a time without a daemon: what came meanwhile.
            if isOther || !changed.isEmpty {
                tell(
                    isOther ? NSUbiquitousKeyValueStoreAccountChange : NSUbiquitousKeyValueStoreServerChange,
                    changed.sorted())
            }
            return true
        } catch { return false }
    }

    private static func account(_ mount: MountAuthority) -> String {
        guard case .status(let status) = try? mount.call(.status(StatusRequest())) else { return "" }
        return status.mount.cloud.url
    }

    private func read(_ mount: MountAuthority, _ keys: [String]?) throws(DaemonFailure) -> [String: PropertyValue] {
        guard
            case .keyValues(let answer) = try mount.call(.keyValues(KeyValuesRequest(container: container, keys: keys)))
        else { return [:] }
        // What a newer program wrote in a form that this one does not know is not shown by it, and stays as it is.
        return answer.values.compactMapValues { try? PropertyValue(decoding: $0) }
    }

    private func lost() {
        state.withLock { $0.end = nil }
        flushLater(.seconds(1))
    }

    private func take(_ news: KeyValueNews) {
        guard let mount = ClaimRouter.shared.principalMount, let values = try? read(mount, news.keys) else { return }
        let changed = state.withLock { state in
            let changed = news.keys.filter { state.known[$0] != values[$0] }
            for key in news.keys { state.known[key] = values[key] }
            // What is written here and on its way stands before it.
            return changed.filter { state.written[$0] == nil }
        }
        let reason =
            switch news.reason {
            case .serverChange: NSUbiquitousKeyValueStoreServerChange
            case .initialSync: NSUbiquitousKeyValueStoreInitialSyncChange
            case .quotaViolation: NSUbiquitousKeyValueStoreQuotaViolationChange
            }
        if !changed.isEmpty { tell(reason, changed) }
    }

    /// Gives the daemon what was written; without one, the journal. False where it is nowhere but in memory.
    private func flush() -> Bool {
        let (written, isJournaled) = state.withLock { ($0.written, $0.isJournaled) }
        guard !written.isEmpty else { return true }
        guard let mount = ClaimRouter.shared.principalMount else { return isJournaled || write(written) }
        let set = written.compactMapValues { $0?.encoded().map { Data($0) } }
        let request = SetKeyValuesRequest(
            container: container, set: set, remove: written.keys.filter { set[$0] == nil }.sorted())
        do throws(DaemonFailure) {
            _ = try mount.call(.setKeyValues(request))
            forget(written, areKnown: true)
        } catch {
            guard error.code == .quota || error.code == .invalidRequest else { return isJournaled || write(written) }
            forget(written, areKnown: false)
            tell(NSUbiquitousKeyValueStoreQuotaViolationChange, written.keys.sorted())
        }
        journal.remove()
        return true
    }

    private func write(_ written: [String: PropertyValue?]) -> Bool {
        let isWritten = journal.write(written)
        state.withLock { state in if state.written == written { state.isJournaled = isWritten } }
        return isWritten
    }

    /// They are the daemon's now, or nobody's. What was written meanwhile stays.
    private func forget(_ written: [String: PropertyValue?], areKnown: Bool) {
        state.withLock { state in
            for (key, value) in written {
                if areKnown { state.known[key] = value }
                if state.written[key] == .some(value) { state.written[key] = nil }
            }
        }
    }

    /// On a queue of its own: whoever hears of it may ask this store.
    private func tell(_ reason: Int, _ keys: [String]) {
        guard let onChange = state.withLock({ $0.onChange }) else { return }
        news.async { onChange(reason, keys) }
    }
}
