import Basics
import CloudModel
import DaemonProtocol
import LocalMetadata
import Sync
import Synchronization
import VirtualFileSystem

/// Tells monitors what happens. Each has a bounded queue; what does not fit is counted and left out, the oldest first.
final class MonitorDesk: Sendable {
    fileprivate struct Seen {
        let path: [UInt8]
        let bytes: Int
        let whole: Int
    }

    fileprivate struct State {
        var lines: [UInt64: MonitorQueue] = [:]
        var lastID: UInt64 = 0
        /// What the tree said and nobody looked up yet.
        var told: [TreeChange] = []
        /// What was last told of items, to tell apart what changed. Bounded: of others it is told that they changed.
        var seen: [NodeID: Seen] = [:]
        var newest: NodeID?
        var cloud: CloudState?
    }

    fileprivate static let maximumSeen = 10_000
    private static let maximumTold = 10_000

    private let state = Mutex(State())
    private let count = Atomic(0)

    var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    func add(_ bell: Wakeup) -> UInt64 {
        count.add(1, ordering: .sequentiallyConsistent)
        return state.withLock { state in
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

    // MARK: What happens

    /// A change of names, told by whoever made it: it alone knows what was there before.
    func happened(_ change: TreeChange) {
        guard !isEmpty else { return }
        state.withLock { if $0.told.count < Self.maximumTold { $0.told.append(change) } }
    }

    /// Tells of names that went, with the paths that they had.
    func resolve(_ metadata: MetadataDatabase) throws {
        let told = state.withLock { state in
            defer { state.told = [] }
            return state.told
        }
        guard !told.isEmpty else { return }
        let found = try metadata.read { transaction in
            try told.compactMap { try Self.happening($0, transaction) }
        }
        let time = WireTime(SystemTime().now())
        state.withLock { state in
            for (node, kind, path, from) in found {
                state.tell(Happening(kind, time, path: path, from: from))
                guard let seen = state.seen[node] else { continue }
                state.seen[node] = kind == .moved ? Seen(path: path.bytes, bytes: seen.bytes, whole: seen.whole) : nil
            }
        }
    }

    private static func happening(
        _ change: TreeChange, _ transaction: MetadataTransaction
    ) throws -> (NodeID, Happening.Kind, MountPath, MountPath?)? {
        func path(_ name: ItemName, in folder: NodeID) throws -> MountPath {
            let names = try transaction.path(of: folder).map(\.bytes) + [name.bytes]
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

    /// A row changed; nil: it is gone, which whoever removed it has told.
    func changed(_ node: NodeID, _ row: FoundRow?) {
        guard !isEmpty else { return }
        // A path that can not travel belongs to no item that a program could name.
        guard let row, let item = try? row.found() else {
            state.withLock { _ = $0.seen.removeValue(forKey: node) }
            return
        }
        let time = WireTime(SystemTime().now())
        state.withLock { state in
            guard let kind = state.kind(of: node, item) else { return }
            var happening = Happening(kind, time, path: item.path)
            happening.item = item
            state.tell(happening)
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
            state.tell(happening)
        }
    }
}

extension MonitorDesk.State {
    fileprivate mutating func tell(_ happening: Happening) {
        for id in lines.keys { lines[id]?.put(happening) }
    }

    /// What became of an item since it was last told of; nil for nothing that could be seen.
    fileprivate mutating func kind(of node: NodeID, _ item: FoundItem) -> Happening.Kind? {
        var hasher = Hasher()
        hasher.combine(item.size)
        hasher.combine(item.modified)
        hasher.combine(item.tags)
        let now = MonitorDesk.Seen(path: item.path.bytes, bytes: hasher.finalize(), whole: item.hashValue)
        let before = seen[node]
        if before == nil, seen.count >= MonitorDesk.maximumSeen { seen.removeAll(keepingCapacity: true) }
        seen[node] = now
        // Numbers of items only go up.
        let isNew = newest.map { node > $0 } ?? false
        newest = max(newest ?? node, node)
        guard let before else { return isNew ? .created : .changed }
        if before.path != now.path { return .moved }
        return before.bytes != now.bytes ? .changed : before.whole != now.whole ? .status : nil
    }
}
