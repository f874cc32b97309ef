import Synchronization

/// Counts the costs of the kernel's requests beside the requests themselves, excluding the daemon's background work.
///
/// Only calls made while ``isServing`` is true are counted. Each store used by requests has separate counts.
package final class RequestCosts: Sendable {
    package enum Kind: Int, Sendable, CaseIterable {
        /// Read transactions of the database.
        case reads
        /// Committed write transactions of the database.
        case commits
        /// Disk flushes: fsync(2) and fdatasync(2).
        case syncs
    }

    /// Whether the current thread handles a kernel request.
    @TaskLocal package static var isServing = false

    private let counts = InlineArray<3, Atomic<UInt64>> { _ in Atomic(0) }

    package init() {}

    package func add(_ kind: Kind) {
        if Self.isServing { counts[kind.rawValue].add(1, ordering: .relaxed) }
    }

    package subscript(kind: Kind) -> UInt64 { counts[kind.rawValue].load(ordering: .relaxed) }
}
