import DaemonProtocol
import Foundation
import Synchronization

/// Changes reported by the daemon and not yet taken by a query of this process. Each item occurs once, in its newest
/// state, so the feed does not grow if the program is slow. When the daemon is restarted, the feed queries the new
/// daemon and reports only the difference.
final class MetadataFeed: Sendable {
    struct Update: Sendable {
        var added: [FoundItem] = []
        var changed: [FoundItem] = []
        var removed: [FoundItem] = []
        var isGathered = false
        var failure: DaemonFailure?

        var hasChanges: Bool {
            isGathered || failure != nil || !(added.isEmpty && changed.isEmpty && removed.isEmpty)
        }
    }

    fileprivate struct State {
        /// The items as reported to the program.
        var reported: [UInt64: FoundItem] = [:]
        /// The items as reported by the daemon.
        var current: [UInt64: FoundItem] = [:]
        /// Items possibly differing between both, in order of arrival.
        var changed: [UInt64] = []
        var marked: Set<UInt64> = []
        /// The items found since the query was restarted; nil once all are gathered.
        var met: Set<UInt64>? = []
        var isGathered = false
        var wasGathered = false
        var failure: DaemonFailure?
        var end: (@Sendable () -> Void)?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let mount: MountAuthority
    private let request: FindRequest
    private let onChange: @Sendable () -> Void

    init(_ mount: MountAuthority, _ request: FindRequest, onChange: @escaping @Sendable () -> Void) {
        self.mount = mount
        self.request = request
        self.onChange = onChange
    }

    /// Starts the query.
    ///
    /// - Throws: The daemon's error, or an error if there is no daemon.
    func start() throws(DaemonFailure) {
        let end = try mount.follow(request) { [weak self] event in
            if case .found(let found) = event { self?.take(found) }
        } onEnd: { [weak self] failure in
            self?.ended(failure)
        }
        let isStopped = state.withLock { state in
            state.end = end
            return state.isStopped
        }
        if isStopped { end() }
    }

    func stop() {
        let end = state.withLock { state in
            state.isStopped = true
            return state.end.take()
        }
        end?()
    }

    /// Returns the difference since the last call; nil if there is none.
    func take() -> Update? {
        state.withLock { state in
            var update = Update()
            for id in state.changed { state.settle(id, &update) }
            (state.changed, state.marked) = ([], [])
            update.isGathered = state.isGathered && !state.wasGathered
            if update.isGathered { state.wasGathered = true }
            update.failure = state.failure.take()
            return update.hasChanges ? update : nil
        }
    }

    // MARK: From the daemon

    private func take(_ found: FoundItems) {
        state.withLock { state in
            for item in found.added + found.changed {
                state.current[item.item] = item
                state.met?.insert(item.item)
                state.mark(item.item)
            }
            for id in found.removed { state.remove(id) }
            if found.phase == .gathered {
                // Items reported by the former daemon, and not by the new one.
                let met = state.met.take() ?? []
                for id in state.current.keys where !met.contains(id) { state.remove(id) }
                state.isGathered = true
            }
        }
        onChange()
    }

    private func ended(_ failure: DaemonFailure?) {
        let isOver = state.withLock { state in
            state.end = nil
            guard !state.isStopped, let failure else { return true }
            // A refused request would be refused again.
            guard [.failed, .busy].contains(failure.code) else {
                state.failure = failure
                return true
            }
            state.met = []
            return false
        }
        if isOver { onChange() } else { startLater() }
    }

    private func startLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self, !state.withLock({ $0.isStopped }) else { return }
            do throws(DaemonFailure) { try start() } catch { startLater() }
        }
    }
}

extension MetadataFeed.State {
    fileprivate mutating func mark(_ id: UInt64) { if marked.insert(id).inserted { changed.append(id) } }

    fileprivate mutating func remove(_ id: UInt64) {
        current[id] = nil
        mark(id)
    }

    fileprivate mutating func settle(_ id: UInt64, _ update: inout MetadataFeed.Update) {
        let (old, new) = (reported[id], current[id])
        guard old != new else { return }
        reported[id] = new
        switch (old, new) {
        case (nil, let new?): update.added.append(new)
        case (_?, let new?): update.changed.append(new)
        case (let old?, nil): update.removed.append(old)
        case (nil, nil): break
        }
    }
}
