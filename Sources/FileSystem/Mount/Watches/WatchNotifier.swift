import Basics
import CloudModel
import Dispatch
import LocalMetadata
package import Logging
import Synchronization
package import VirtualFileSystem

/// Notifies inotify(7) watchers on this mount of remote changes, for which the kernel itself sends no events.
///
/// It works on a separate queue, after the commit and after invalidation of the kernel's caches. Watches are looked up
/// at most once a second and after the change, so a watch set before the change is seen. Without a watch nothing else
/// happens. Events may be dropped (more than ``maximumPending`` pending, or a mount that blocks calls), as in
/// inotify(7) itself; the documents are not touched.
package final class WatchNotifier: Sendable {
    /// The maximum number of pending changes. Later ones are dropped.
    static let maximumPending = 10_000
    /// The time between two lookups of watches.
    private static let period: Duration = .seconds(1)
    /// Batches changes in quick succession.
    private static let settle: Duration = .milliseconds(50)

    private struct State {
        var mount: (point: String, device: DeviceNumber)?
        var pending: [RemoteChanges] = []
        var pendingCount = 0
        var isScheduled = false
        var lastRun = ContinuousClock.now - WatchNotifier.period
    }

    package let announcements = Announcements()
    private let files: VirtualFileSystem
    private let invalidator: KernelInvalidator
    private let log: Logger
    private let announcer: Announcer
    private let queue = DispatchQueue(label: "ubiquity.watch")
    private let state = Mutex(State())

    package init(_ files: VirtualFileSystem, _ invalidator: KernelInvalidator, log: Logger) {
        self.files = files
        self.invalidator = invalidator
        self.log = log
        announcer = Announcer(announcements, log: log)
    }

    /// Begins to notify watchers. Changes before this are dropped.
    package func start(mountPoint: String, device: DeviceNumber) {
        state.withLock { $0.mount = (mountPoint, device) }
    }

    /// Ends the announcer, so it does not keep the mount busy. Does not wait.
    package func stop() {
        state.withLock { state in
            state.mount = nil
            (state.pending, state.pendingCount) = ([], 0)
        }
        announcer.end()
    }

    /// Notifies the watchers later. Returns immediately.
    package func notify(_ changes: RemoteChanges) {
        let delay = state.withLock { state -> Duration? in
            guard state.mount != nil, changes.count > 0,
                state.pendingCount.saturatingSum(changes.count) <= Self.maximumPending
            else { return nil }
            state.pending.append(changes)
            state.pendingCount += changes.count
            guard !state.isScheduled else { return nil }
            state.isScheduled = true
            return max(Self.settle, state.lastRun + Self.period - .now)
        }
        guard let delay else { return }
        queue.asyncAfter(deadline: .now() + delay / .seconds(1)) { [weak self] in self?.run() }
    }

    private func run() {
        let (mount, pending) = state.withLock { state in
            defer {
                (state.pending, state.pendingCount, state.isScheduled) = ([], 0, false)
                state.lastRun = .now
            }
            return (state.mount, state.pending)
        }
        guard let mount else { return }
        let watched = InotifyWatches.nodes(on: mount.device)
        guard !watched.isEmpty else {
            // An announcer without watchers would only take memory.
            announcer.end()
            return announcer.reap()
        }
        let plan = WatchPlan(watched: watched, itemAt: item(at:), itemOf: item(of:))
        for changes in pending {
            for announcement in plan.announcements(of: changes) { announce(announcement, mount.point, mount.device) }
        }
    }

    private func announce(_ announcement: Announcement, _ mountPoint: String, _ device: DeviceNumber) {
        guard state.withLock({ $0.mount != nil }) else { return }
        // If the kernel had the new state cached, it would refuse the call.
        invalidator.flush()
        _ = announcer.announce(announcement, mountPoint: mountPoint, device: device, pathOf: path(of:))
        // The state shown to the announcer is not for other programs.
        var places = [announcement.place]
        if case .moved(let former) = announcement.change { places.append(former) }
        invalidator.invalidate(nodes: [], entries: places.map { ($0.parent, $0.name) })
    }

    // MARK: The present tree

    private func item(at place: Announcement.Place) -> WatchPlan.Item? {
        guard let found = try? files.lookup(place.name, in: place.parent) else { return nil }
        return WatchPlan.Item(node: found.node, kind: found.kind, place: place)
    }

    private func item(of node: NodeID) -> WatchPlan.Item? {
        guard node != .root, let path = try? files.path(of: node), let name = path.last,
            let parent = try? files.parent(of: node), let attributes = try? files.attributes(of: node)
        else { return nil }
        return WatchPlan.Item(
            node: node, kind: attributes.kind, place: Announcement.Place(parent: parent, name: name.bytes))
    }

    private func path(of node: NodeID) -> [UInt8]? {
        guard let path = try? files.path(of: node), !path.isEmpty else { return nil }
        return Array(path.map(\.bytes).joined(separator: [UInt8(ascii: "/")]))
    }
}
