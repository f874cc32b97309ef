import ClaimService
import ControlServer
import Coordination
import DaemonProtocol
import LocalMetadata
import VirtualFileSystem

/// Opens claims on the thread reading the connection, without reading the database.
extension ClaimHandler {
    /// Opens a claim with a reserved slot, if every item was looked up before and no lock is held.
    ///
    /// - Returns: Whether all bytes are local, and the outcome if there is one already; nil if nothing was done.
    func openAtOnce(
        _ request: AccessRequest, _ client: ClientContext, _ outcome: ClaimOutcome
    ) -> (isWhole: Bool, outcome: ClaimOutcome.Value?)? {
        // As for any claim, no name changes between the lookup of a path and the request for its item.
        device.files.withNamesFrozenIfPossible {
            var accesses: [Access] = []
            var isWhole = true
            for wanted in request.accesses {
                guard let row = knownRow(at: wanted.path), let mode = try? Access.Mode(wanted) else { return nil }
                accesses.append(Access(.item(row.item), mode, place: row.place, mayCreate: true))
                isWhole = isWhole && row.isWhole
            }
            device.claims.open(ClaimRequest(request, accesses, client), for: client) { outcome.put($0) }
            return (isWhole, outcome.now)
        }
    }

    /// Returns the item at a path, if it and the folders above it were looked up before.
    private func knownRow(at path: MountPath) -> ItemCache.Row? {
        var folder = ItemNumber.root
        var found: ItemCache.Row?
        for bytes in path.components {
            if let found, !found.isFolder { return nil }
            guard let row = device.claims.known[folder, Array(bytes)] else { return nil }
            folder = row.item
            found = row
        }
        return found
    }
}
