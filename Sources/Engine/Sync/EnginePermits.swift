package import LocalMetadata

/// What the engine is about to do with an item that programs may be working on together.
package enum EngineAccess: Sendable {
    /// Looks at its bytes, to upload what they are at that moment. Who shows it saves first.
    case upload
    /// Puts a newer version in the place of what is here. Who shows it saves first, and then lets go of it.
    case swap
    /// Follows the log in placeholders, which no program reads. No program is asked, none is waited for.
    case follow
    /// Sends what a package is now. No program is asked, none is waited for.
    case send
    /// Drops its bytes. Who shows it has to agree.
    case evict
}

/// Ends a permit; to be called once.
package typealias PermitRelease = @Sendable () -> Void

/// What came of asking for a permit.
package enum EnginePermit: Sendable {
    case now(end: PermitRelease)
    /// A program holds the item, or has to be asked. The call waits, for a bounded time; nil if the permit does not come.
    case later(@Sendable () async -> PermitRelease?)
    case refused
}

/// How the engine takes part in coordination. An implementation stands above the database in the order of locks: not to be
/// asked for a permit inside a transaction.
package protocol EnginePermits: Sendable {
    /// One load: no program coordinates, so there is nothing to ask for.
    var areFree: Bool { get }
    func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit
    /// Something was put off because a program holds it: the engine wants to look again when a claim ends.
    func noteDeferral()
}

/// Where nothing coordinates.
package struct UncontendedPermits: EnginePermits {
    package init() {}
    package var areFree: Bool { true }
    package func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit { .now(end: {}) }
    package func noteDeferral() {}
}

/// A program began to coordinate between a look at ``EnginePermits/areFree`` and the change: it has to be asked for after all.
struct PermitNeeded: Error {}
