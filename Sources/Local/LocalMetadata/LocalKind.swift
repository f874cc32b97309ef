package import CloudModel

/// The kind of an item of the local tree. Pipes and sockets exist on this device only.
package enum LocalKind: UInt8, Sendable {
    case folder = 0
    case file = 1
    case symlink = 2
    case pipe = 3
    case socket = 4

    package var cloudKind: ItemKind? { ItemKind(rawValue: rawValue) }
}
