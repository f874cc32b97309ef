import ControlServer
import Coordination
import DaemonProtocol
import LocalMetadata
import Synchronization
import VirtualFileSystem

/// Claims that need not wait: on the thread that reads the connection, without a look into the database.
extension ClaimHandler {
    /// Nil, and nothing has happened, where something is wrong with the request.
    func claimAtOnce(_ request: AccessRequest, _ client: ClientContext) -> PromptAnswer? {
        guard (try? request.validate()) != nil else { return nil }
        let outcome = ClaimOutcome()
        let begun = device.claims.prompt.withLock { _ in openAtOnce(request, client, outcome) }
        guard let begun else {
            // Entered in the order in which requests come: calling it off, right behind it, is not to find nothing.
            guard (try? device.claims.ledger.add(client)) != nil else { return nil }
            return .later { try await mounted.describing { DaemonResponse(try await admittedClaim(request, client)) } }
        }
        // Granted while no name could change: everything is where it was asked for.
        if case .success(let items)? = begun.outcome {
            let paths = request.accesses.map(\.path)
            return .now(DaemonResponse(granted(items, at: paths, request, client, isWhole: begun.isWhole)))
        }
        return .later { try await mounted.describing { DaemonResponse(try await granted(outcome, request, client)) } }
    }

    /// Whether all of it is here, and what came of it already; nil if it was not asked for.
    private func openAtOnce(
        _ request: AccessRequest, _ client: ClientContext, _ outcome: ClaimOutcome
    ) -> (isWhole: Bool, outcome: ClaimOutcome.Value?)? {
        // As for any claim: no name changes between the look at what a path means and the request for it.
        device.files.withNamesFrozenIfPossible {
            var accesses: [Access] = []
            var isWhole = true
            for wanted in request.accesses {
                guard let row = knownRow(at: wanted.path), let mode = try? Access.Mode(wanted) else { return nil }
                accesses.append(Access(.item(row.item), mode, place: row.place, mayCreate: true))
                isWhole = isWhole && row.isWhole
            }
            // What is wrong is said by the way that all others go.
            do { try device.claims.ledger.add(client) } catch { return nil }
            device.claims.open(ClaimRequest(request, accesses, client), for: client) { outcome.put($0) }
            return (isWhole, outcome.now)
        }
    }

    /// The item that a path means, if that and the folders above it were asked for before.
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

    /// Nil, and nothing has happened, where something has to be looked at first, or there is no such claim.
    func finishAtOnce(_ request: FinishRequest, _ client: ClientContext) -> PromptAnswer? {
        let ledger = device.claims.ledger
        // Presenters are notified of what was written first.
        guard ledger.deliveries.isEmpty || ledger.written(request.claim, of: client).isEmpty else { return nil }
        switch device.claims.finish(request.claim, of: client) {
        case .claim, .calledOff: return .now(DaemonResponse(DoneResponse()))
        case .revoked: return .later { throw Self.revocation }
        // It may be among those that wait to be looked at.
        case .none: return nil
        }
    }
}
