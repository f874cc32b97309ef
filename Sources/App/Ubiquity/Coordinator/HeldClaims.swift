import Coordination
import DaemonProtocol
import Foundation
import Glibc

/// What is held while an accessor runs.
struct HeldClaims: Sendable {
    struct Claim: Sendable {
        let granted: GrantedClaim
        let authority: any ClaimAuthority
    }

    struct Item: Sendable {
        let wanted: WantedItem
        /// Where it was when it was asked for, and is now.
        let oldPath: String
        let path: String
        /// Something was there when it was asked for.
        let existed: Bool

        /// What the accessor gets: as the program spelt it, unless the item has moved.
        var url: URL {
            oldPath == path ? wanted.target : URL(filePath: path)
        }
    }

    let claims: [Claim]
    let items: [Item]

    /// All of it is here, and nothing has to be copied: ``prepared`` does not block.
    var isReady: Bool { claims.allSatisfy(\.granted.isWhole) && !items.contains(where: \.wanted.isForUploading) }

    /// Of what is ``isReady``.
    var prepared: PreparedAccess { PreparedAccess(ready: self) }

    /// What the accessor will read and cannot find here. Gives everything back where an item is gone.
    func missing() throws(CoordinationFailure) -> [MissingContent] {
        // The daemon has looked already.
        if claims.allSatisfy(\.granted.isWhole) { return [] }
        return try guarded { () throws(CoordinationFailure) in
            for item in items where item.existed && !item.wanted.mayBeGone && !WantedItem.exists(item.path) {
                throw CoordinationFailure(
                    .gone, "\(item.wanted.url.path) was deleted before it could be accessed.")
            }
            return items.filter(\.wanted.readsContent).compactMap(missingContent)
        }
    }

    /// Makes what the accessor gets; gives everything back if that fails. May take as long as a copy does.
    func prepare() throws(CoordinationFailure) -> PreparedAccess {
        try guarded { () throws(CoordinationFailure) in try PreparedAccess(self) }
    }

    /// Gives everything back if `body` fails.
    func guarded<T>(_ body: () throws(CoordinationFailure) -> T) throws(CoordinationFailure) -> T {
        do throws(CoordinationFailure) { return try body() } catch {
            drop()
            throw error
        }
    }

    /// Gives everything back before anything was done, without waiting for anybody.
    func drop() { for claim in claims.reversed() { claim.granted.drop() } }

    /// Gives everything back. A failure says that not everything was held to the end.
    func finish() -> CoordinationFailure? {
        claims.reversed().compactMap { $0.granted.finish() }.first
    }

    /// Runs the accessor, so that requests in it are known to be inside of these claims.
    func around<T>(_ accessor: () throws -> T) rethrows -> T {
        try Enclosing.$current.withValue(enclosing) { try accessor() }
    }

    var enclosing: [Enclosing] {
        Enclosing.current
            + claims.map { Enclosing(authority: $0.authority, enclosure: .claim(ClaimID($0.granted.number))) }
    }

    private func missingContent(of item: Item) -> MissingContent? {
        let mount = claims.lazy.compactMap { $0.authority as? MountAuthority }.first {
            item.path.hasPrefix($0.root + "/")
        }
        guard let mount else { return VersionDirectory.shared.missing(item.path) }
        // Of a folder that is no package this is never so: it is read without what is in it.
        guard MountAuthority.attribute("status", of: item.path) == "notDownloaded" else { return nil }
        return .document(mount, path: item.path)
    }
}
