import CloudModel
import Glibc

/// The role of a watched folder, which determines the meaning of its events. Pure.
enum WatchRole: Hashable, Sendable {
    /// A folder on the path to the cloud; `awaited` is the absent name below it.
    case ancestor(awaited: [UInt8]?)
    case root
    case containers
    case log
    /// The last shard of a log, where entries appear.
    case shard(ContainerName)

    enum Meaning: Equatable {
        case nothing
        case entry(ContainerName)
        /// A folder to watch appeared or disappeared.
        case structure
        /// The cloud disappeared, appeared, or was replaced.
        case place
    }

    private static let gone = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)
    private static let selfMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)
    private static let departures = UInt32(IN_DELETE | IN_MOVED_FROM)

    /// The events requested from inotify(7). Folders above the cloud may be busy, so their contents are watched only
    /// while they matter.
    var mask: UInt32 {
        switch self {
        case .ancestor(nil): Self.selfMask
        case .ancestor: Self.selfMask | Self.arrivals
        case .root, .containers: Self.selfMask | Self.arrivals | Self.departures
        case .log, .shard: Self.selfMask | Self.arrivals
        }
    }

    func meaning(of mask: UInt32, name: [UInt8]) -> Meaning {
        if mask & Self.gone != 0 { return .place }
        guard mask & (Self.arrivals | Self.departures) != 0 else { return .nothing }
        switch self {
        case .ancestor(let awaited): return name == awaited ? .place : .nothing
        case .root: return Self.essential.contains(name) ? .place : .nothing
        case .containers, .log: return .structure
        case .shard(let container): return .entry(container)
        }
    }

    private static let essential = [CloudLayout.identity, CloudLayout.containers].map { Array($0.utf8) }
}
