import DaemonProtocol
import Foundation
import Synchronization

/// Store changes reported by the daemon, handled on the engine's queue.
extension KeyValueEngine {

    /// Observes the store and reads all of it. Returns false if no daemon responds.
    func fetch() -> Bool {
        guard let mount = ClaimRouter.shared.principalMount else { return false }
        do throws(DaemonFailure) {
            let end = try listen(mount)
            do throws(DaemonFailure) { enter(try read(mount, nil), of: try Self.account(mount), end) } catch {
                end()
                throw error
            }
            return true
        } catch { return false }
    }

    private func listen(_ mount: MountAuthority) throws(DaemonFailure) -> @Sendable () -> Void {
        try mount.follow(WatchKeyValuesRequest(container: container)) { [weak self] event in
            guard let self, case .keyValues(let change) = event, !change.keys.isEmpty else { return }
            queue.async { self.take(change) }
        } onEnd: { [weak self] _ in
            guard let self else { return }
            queue.async { self.lost() }
        }
    }

    private static func account(_ mount: MountAuthority) throws(DaemonFailure) -> String {
        let status = try mount.call(StatusRequest())
        // The address and, after a blank, the device's signed-in account there.
        return [status.mount.cloud.url, status.mount.cloud.account].compactMap(\.self).joined(separator: " ")
    }

    private func read(_ mount: MountAuthority, _ keys: [String]?) throws(DaemonFailure) -> [String: PropertyValue] {
        let answer = try mount.call(KeyValuesRequest(container: container, keys: keys))
        // A newer program's value of unknown form is skipped, and stays in the store.
        return answer.values.compactMapValues { try? PropertyValue(decoding: $0) }
    }

    private func enter(
        _ values: [String: PropertyValue], of account: String, _ end: @escaping @Sendable () -> Void
    ) {
        let (isOther, changed) = state.withLock { state in
            defer { (state.known, state.end, state.account) = (values, end, account) }
            // Unsent local values take precedence.
            let changed = Set(values.keys).union(state.known.keys).filter {
                values[$0] != state.known[$0] && state.written[$0] == nil
            }
            return (state.account != nil && state.account != account, state.account == nil ? [] : changed)
        }
        keepKnown()
        // After a time without a daemon, or without this program, posts changes made meanwhile.
        if isOther || !changed.isEmpty {
            post(
                isOther ? NSUbiquitousKeyValueStoreAccountChange : NSUbiquitousKeyValueStoreServerChange,
                changed.sorted())
        }
    }

    private func lost() {
        state.withLock { $0.end = nil }
        tryLater()
    }

    private func take(_ change: KeyValueEvent) {
        guard let mount = ClaimRouter.shared.principalMount else { return }
        let values: [String: PropertyValue]
        do throws(DaemonFailure) { values = try read(mount, change.keys) } catch {
            // The engine reconnects and reads everything, including this change.
            state.withLock { $0.end }?()
            return
        }
        let changed = state.withLock { state in
            let changed = change.keys.filter { state.known[$0] != values[$0] }
            for key in change.keys { state.known[key] = values[key] }
            // Unsent local values take precedence.
            return changed.filter { state.written[$0] == nil }
        }
        keepKnown()
        let reason =
            switch change.reason {
            case .serverChange: NSUbiquitousKeyValueStoreServerChange
            case .initialSync: NSUbiquitousKeyValueStoreInitialSyncChange
            case .quotaViolation: NSUbiquitousKeyValueStoreQuotaViolationChange
            }
        if !changed.isEmpty { post(reason, changed) }
    }
}
