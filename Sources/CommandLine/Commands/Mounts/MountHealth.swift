import Glibc

/// Whether a mount in the kernel's list responds.
package enum MountHealth: Sendable {
    case living
    /// The daemon is gone ("transport endpoint is not connected").
    case dead
    case frozen

    /// Queries the mount itself, with a timeout of five seconds.
    static func probe(_ mount: String) -> MountHealth {
        bounded(within: .seconds(5)) {
            // Not stat(2), which the kernel serves from its cache even for a dead mount.
            var information = statvfs()
            return statvfs(mount, &information) == -1 && [ENOTCONN, ECONNABORTED].contains(errno) ? .dead : .living
        } ?? .frozen
    }

    /// The failure for a mount without a registered daemon.
    package func failure(mount: String) -> CommandFailure {
        switch self {
        case .dead:
            CommandFailure(
                .notMounted, "the daemon of this mount is gone", path: mount,
                advice: "\"ubiquity mount \(mount)\" starts it again, \"ubiquity unmount \(mount)\" cleans up.")
        case .living:
            CommandFailure(
                .notAnswering, "the daemon that serves this mount is not registered here", path: mount,
                advice: "It may have been started with another XDG_RUNTIME_DIR; \"ubiquity unmount \(mount)\" stops it."
            )
        case .frozen:
            CommandFailure(
                .notAnswering, "this mount does not answer, and no daemon is registered for it", path: mount,
                advice: "\"ubiquity unmount \(mount)\" removes it.")
        }
    }
}
