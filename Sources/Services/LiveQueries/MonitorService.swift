import Basics
import CloudModel
import DaemonProtocol
import LocalMetadata
import Sync
import Synchronization
package import VirtualFileSystem

/// Sends events to monitors. Each monitor has a bounded queue; excess events are counted and dropped, the oldest first.
package final class MonitorService: Sendable {
    fileprivate struct State {
        var lines: [UInt64: MonitorQueue] = [:]
        var lastID: UInt64 = 0
        /// Changes of the tree whose items have not been looked up yet.
        var changes: [TreeChange] = []
        /// The states sent to monitors; nil while there is no monitor.
        var sightings: ItemSightings?
        var cloud: CloudState?
    }

    private static let maximumChanges = 10_000

    private let state = Mutex(State())
    private let count = Atomic(0)

    var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// - Parameter last: The highest number of any item.
    func add(_ bell: Wakeup, after last: NodeID) -> UInt64 {
        count.add(1, ordering: .sequentiallyConsistent)
        return state.withLock { state in
            if state.sightings == nil { state.sightings = ItemSightings(after: last) }
            state.lastID += 1
            state.lines[state.lastID] = MonitorQueue(bell: bell)
            return state.lastID
        }
    }

    func remove(_ id: UInt64) {
        count.subtract(1, ordering: .sequentiallyConsistent)
        state.withLock { state in
            state.lines[id] = nil
            if state.lines.isEmpty {
                let lastID = state.lastID
                state = State()
                state.lastID = lastID
            }
        }
    }

    func take(_ id: UInt64) -> Happening? { state.withLock { $0.lines[id]?.take() } }

    // MARK: Events

    /// Handles a change of names, sent by the changing code, as it alone knows the previous item.
    package func happened(_ change: TreeChange) {
        guard !isEmpty else { return }
        state.withLock { if $0.changes.count < Self.maximumChanges { $0.changes.append(change) } }
    }

    /// Reports removed names, with their former paths.
    func resolve(_ metadata: MetadataDatabase) throws {
        let changes = state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
        guard !changes.isEmpty else { return }
        let found = try metadata.read { transaction in
            try changes.compactMap { try Self.happening($0, transaction) }
        }
        let time = WireTime(SystemTime().now())
        state.withLock { state in
            for (node, kind, path, from) in found {
                state.send(Happening(kind, time, path: path, from: from))
                if kind == .moved { state.sightings?.moved(node, to: path) } else { state.sightings?.forget(node) }
            }
        }
    }

    private static func happening(
        _ change: TreeChange, _ transaction: MetadataTransaction
    ) throws -> (NodeID, Happening.Kind, MountPath, MountPath?)? {
        func path(_ name: ItemName, in folder: NodeID) throws -> MountPath {
            let names = try transaction.local.path(of: folder).map(\.bytes) + [name.bytes]
            return try MountPath(bytes: Array(names.joined(separator: [UInt8(ascii: "/")])))
        }
        switch change {
        case .removed(let item): return (item.node, .removed, try path(item.name, in: item.parent), nil)
        case .moved(let item, let folder, let name):
            return (item.node, .moved, try path(name, in: folder), try path(item.name, in: item.parent))
        case .replaced(let item, let new):
            return (new.node, .moved, try path(item.name, in: item.parent), try path(new.name, in: new.parent))
        case .created, .changed: return nil
        }
    }

    /// Handles a changed row; nil if the row is gone, as already reported with its removal.
    func changed(_ node: NodeID, _ row: FoundRow?) {
        guard !isEmpty else { return }
        // An item with an unsendable path is unnameable for programs.
        guard let row, let item = try? row.found() else {
            return state.withLock { $0.sightings?.forget(node) }
        }
        let time = WireTime(SystemTime().now())
        state.withLock { state in
            let from = state.sightings?.path(of: node)
            guard let kind = state.sightings?.kind(of: node, item) else { return }
            var happening = Happening(kind, time, path: item.path, from: kind == .moved ? from : nil)
            happening.item = item
            state.send(happening)
        }
    }

    func note(_ cloud: CloudState) {
        guard !isEmpty else { return }
        let time = WireTime(SystemTime().now())
        state.withLock { state in
            guard state.cloud != cloud else { return }
            state.cloud = cloud
            var happening = Happening(.cloud, time)
            happening.detail =
                switch cloud {
                case .online: "online"
                case .connecting: "connecting"
                case .offline(let why): "offline: \(why)"
                case .stopped(let why): "stopped: \(why)"
                }
            state.send(happening)
        }
    }
}

extension MonitorService.State {
    fileprivate mutating func send(_ happening: Happening) {
        for id in lines.keys { lines[id]?.put(happening) }
    }
}
