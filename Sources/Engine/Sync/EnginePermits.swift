package import LocalMetadata

/// The engine's imminent access to an item that programs may be using.
package enum EngineAccess: Sendable {
    /// Reads its current bytes to upload them. Presenters save first.
    case upload
    /// Replaces the local content by a newer version. Presenters save first, and then relinquish the item.
    case swap
    /// Follows the log for placeholders, which have no readers. No presenter is asked, and the engine waits for none.
    case follow
    /// Sends the current state of a package. No presenter is asked, and the engine waits for none.
    case send
    /// Drops its bytes. Presenters have to agree.
    case evict
}

/// Ends a permit; must be called once.
package typealias PermitRelease = @Sendable () -> Void

/// The response to a request for a permit.
package enum EnginePermit: Sendable {
    case now(end: PermitRelease)
    /// A program holds the item, or presenters have to be asked. The call waits for a bounded time and returns nil if the permit is not
    /// granted.
    case later(@Sendable () async -> PermitRelease?)
    case refused
}

/// How the engine takes part in coordination. An implementation is above the database in the order of locks: no permit may be requested
/// inside a transaction.
package protocol EnginePermits: Sendable {
    /// Whether no program coordinates, so that no permit is needed. Costs a single load.
    var areFree: Bool { get }
    func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit
    /// Notes that work was deferred because a program holds an item: the engine has to retry when a claim ends.
    func noteDeferral()
}

/// Grants every permit, for use without coordination.
package struct UncontendedPermits: EnginePermits {
    package init() {}
    package var areFree: Bool { true }
    package func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit { .now(end: {}) }
    package func noteDeferral() {}
}

/// A program began to coordinate between the check of ``EnginePermits/areFree`` and the change: a permit is needed after all.
struct PermitNeeded: Error {}
