package import LocalMetadata

/// What the engine is about to do with an item that programs may be working on together.
package enum EngineAccess: Sendable {
    /// Looks at its bytes, to upload what they are at that moment. Who shows it saves first.
    case upload
    /// Puts a newer version in the place of what is here. Who shows it saves first, and then lets go of it.
    case swap
    /// Follows the log in what nobody sees being read: placeholders. Nobody is asked, nobody is waited for.
    case follow
    /// Tells the cloud what a package is now. Nobody is asked, nobody is waited for.
    case tell
    /// Drops its bytes. Who shows it has to agree.
    case evict
}

/// Ends a turn of the engine; to be called once.
package typealias PermitRelease = @Sendable () -> Void

/// What came of asking for a turn.
package enum EnginePermit: Sendable {
    case now(end: PermitRelease)
    /// Somebody holds the item, or has to be asked. The call waits, for a bounded time; nil if the turn does not come.
    case later(@Sendable () async -> PermitRelease?)
    case refused
}

/// How the engine takes part in coordination. Whoever implements it stands above the database in the order of locks: not to be
/// asked for a turn inside a transaction.
package protocol EnginePermits: Sendable {
    /// One load: nobody coordinates, so there is nothing to ask for.
    var areFree: Bool { get }
    func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit
    /// Something was put off because somebody holds it: the engine wants to look again when a claim ends.
    func noteDeferral()
}

/// Where nothing coordinates.
package struct UncontendedPermits: EnginePermits {
    package init() {}
    package var areFree: Bool { true }
    package func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit { .now(end: {}) }
    package func noteDeferral() {}
}

/// Somebody began to coordinate between a look at ``EnginePermits/areFree`` and the change: it has to be asked for after all.
struct PermitNeeded: Error {}
