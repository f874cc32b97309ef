import Synchronization

/// Counts what the kernel's requests cost beside the requests themselves, without the work that the daemon does in the background.
///
/// Only calls made while ``isServing`` is true are counted. Each store that a request may use has counts of its own.
package final class RequestCosts: Sendable {
    package enum Kind: Int, Sendable, CaseIterable {
        /// Read transactions of the database.
        case reads
        /// Committed write transactions of the database.
        case commits
        /// Flushes of the disk: fsync(2) and fdatasync(2).
        case syncs
    }

    /// Whether the present thread handles a request of the kernel.
    @TaskLocal package static var isServing = false

    private let counts = InlineArray<3, Atomic<UInt64>> { _ in Atomic(0) }

    package init() {}

    package func add(_ kind: Kind) {
        if Self.isServing { counts[kind.rawValue].add(1, ordering: .relaxed) }
    }

    package subscript(kind: Kind) -> UInt64 { counts[kind.rawValue].load(ordering: .relaxed) }
}
