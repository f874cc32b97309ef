import DaemonProtocol
import Foundation
import Synchronization

/// Finds the authority for a path.
final class ClaimRouter: Sendable {
    static let shared = ClaimRouter()

    struct Route: Sendable {
        let authority: any ClaimAuthority
        let path: String
        /// Nil outside every mount.
        let mount: MountAuthority?
        /// Whether the item existed at the time of the lookup.
        let exists: Bool
    }

    private struct State {
        var records: [MountRecord] = []
        var readAt: ContinuousClock.Instant?
        var mounts: [String: MountAuthority] = [:]
    }

    private let process = ProcessAuthority()
    private let state = Mutex(State())

    func route(_ url: URL) -> Route {
        let found = CanonicalPath(url.path)
        let mount = mount(holding: found.text)
        return Route(authority: mount ?? process, path: found.text, mount: mount, exists: found.exists)
    }

    /// The programs' default mount: the one named by the variable `UBIQUITY_MOUNT`, else the user's standard mount if
    /// it exists, else the first.
    var principalMount: MountAuthority? {
        if let named = ProcessInfo.processInfo.environment["UBIQUITY_MOUNT"] {
            return records().first { $0.mount == named }.map(authority)
        }
        let standard = StandardPaths.current.defaultMount
        let record = records().first { $0.mount == standard } ?? records().first
        return record.map(authority)
    }

    private func mount(holding path: String) -> MountAuthority? {
        records().first { path.hasPrefix($0.mount + "/") }.map(authority)
    }

    private func authority(_ record: MountRecord) -> MountAuthority {
        state.withLock { state in
            if let known = state.mounts[record.mount] { return known }
            let mount = MountAuthority(record.mount)
            state.mounts[record.mount] = mount
            return mount
        }
    }

    /// Returns the running daemons. They are looked up at most once a second, since every access needs them.
    private func records() -> [MountRecord] {
        let now = ContinuousClock.now
        let known = state.withLock { state in state.readAt.map { now - $0 < .seconds(1) } == true ? state.records : nil
        }
        if let known { return known }
        let records = MountRegistry.standard.records()
        state.withLock { state in
            state.records = records
            state.readAt = now
        }
        return records
    }
}
