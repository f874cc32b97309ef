import Synchronization

/// What containers declare, as it is committed, for the transactions that write: nearly each one depends on it.
final class KnownDeclarations: Sendable {
    private let known = Mutex<[ContainerID: RootDeclarations]>([:])
    private static let limit = 256

    /// Must be read and set by the one writer only.
    var all: [ContainerID: RootDeclarations] {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue.count <= Self.limit ? newValue : [:] } }
    }
}
