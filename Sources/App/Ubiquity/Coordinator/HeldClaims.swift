import Coordination
import DaemonProtocol
import Foundation
import Glibc

/// Claims held while an accessor runs.
struct HeldClaims: Sendable {
    struct Claim: Sendable {
        let granted: GrantedClaim
        let authority: any ClaimAuthority
    }

    struct Item: Sendable {
        let wanted: WantedItem
        /// The item's path when it was requested, and its current path.
        let oldPath: String
        let path: String
        /// Whether the item existed when it was requested.
        let existed: Bool

        /// The URL for the accessor: as the program spelt it, unless the item has moved.
        var url: URL {
            oldPath == path ? wanted.target : URL(filePath: path)
        }
    }

    let claims: [Claim]
    let items: [Item]

    /// Whether everything is local and nothing has to be copied, so that ``prepared`` does not block.
    var isReady: Bool { claims.allSatisfy(\.granted.isWhole) && !items.contains(where: \.wanted.isForUploading) }

    /// Prepared access for claims known to be ``isReady``.
    var prepared: PreparedAccess { PreparedAccess(ready: self) }

    /// Returns missing local content that the accessor will read. Releases all claims if an item is gone.
    func missing() throws(CoordinationFailure) -> [MissingContent] {
        // The daemon has checked already.
        if claims.allSatisfy(\.granted.isWhole) { return [] }
        return try guarded { () throws(CoordinationFailure) in
            for item in items where item.existed && !item.wanted.mayBeGone && !WantedItem.exists(item.path) {
                throw CoordinationFailure(
                    .gone, "\(item.wanted.url.path) was deleted before it could be accessed.")
            }
            return items.filter(\.wanted.readsContent).compactMap(missingContent)
        }
    }

    /// Prepares the accessor's URLs; releases all claims if that fails. May take as long as a copy.
    func prepare() throws(CoordinationFailure) -> PreparedAccess {
        try guarded { () throws(CoordinationFailure) in try PreparedAccess(self) }
    }

    /// Runs `body`, and releases all claims if it fails.
    func guarded<T>(_ body: () throws(CoordinationFailure) -> T) throws(CoordinationFailure) -> T {
        do throws(CoordinationFailure) { return try body() } catch {
            drop()
            throw error
        }
    }

    /// Releases all unused claims, without waiting.
    func drop() { for claim in claims.reversed() { claim.granted.drop() } }

    /// Releases all claims. A failure means some claim was not held to the end.
    func finish() -> CoordinationFailure? {
        claims.reversed().compactMap { $0.granted.finish() }.first
    }

    /// Runs the accessor so that requests in it are recognised as inside these claims.
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
        // An ordinary folder never has this status: it is read without its contents.
        guard MountAuthority.attribute("status", of: item.path) == "notDownloaded" else { return nil }
        return .document(mount, path: item.path)
    }
}
