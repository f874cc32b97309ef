import Synchronization

/// Containers' committed declarations, for write transactions: nearly all depend on them.
final class KnownDeclarations: Sendable {
    private let known = Mutex<[ContainerID: RootDeclarations]>([:])
    private static let limit = 256

    /// Must be read and set by the sole writer only.
    var all: [ContainerID: RootDeclarations] {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue.count <= Self.limit ? newValue : [:] } }
    }
}
