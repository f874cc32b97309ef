import CloudModel
package import Coordination
package import DaemonProtocol
import Sync

/// Operations for request handlers. The service's records of its clients stay private.
extension ClaimService {
    // MARK: Claims

    /// Reserves a slot for the request's claim before any lookup.
    ///
    /// - Throws: `invalidRequest` for a number already in use, `busy` beyond the connection's limit.
    package func makeRoom(for client: any ClaimClient) throws(DaemonFailure) {
        try clients.add(client)
        watched.ring()
    }

    /// Records that a request's claim was granted.
    ///
    /// - Parameter written: The items it writes.
    /// - Returns: The claim's number; nil if the client finished it in the meantime.
    package func noteGrant(to client: any ClaimClient, writing written: [ItemKey]) -> ClaimID? {
        clients.note(written, of: client)
        return clients.claim(client.request, of: client)
    }

    /// Ends the claim of a failed request, whether waiting, held, or never opened.
    package func cancel(_ client: any ClaimClient) {
        if let id = clients.claim(client.request, of: client) { abandon(id, of: client) }
        clients.remove(client.request, of: client)
    }

    /// Returns a granted claim's written items, for notices to presenters; none if there are no presenters.
    ///
    /// - Parameter request: The number of the request for the claim.
    package func writtenItems(under request: UInt64, of client: any ClaimClient) -> [ItemKey] {
        hasPresenters ? clients.written(request, of: client) : []
    }

    /// Returns a claim's client; nil if the claim has ended, or is not a client's.
    package func holder(of claim: ClaimID) -> (any ClaimClient)? { clients.holder(of: claim) }

    // MARK: Presenters

    /// Whether there is any presenter. Costs one atomic load.
    package var hasPresenters: Bool { !clients.deliveries.isEmpty }

    /// Reserves a slot for a client's presenter, then registers it with `register`, which looks up its item and calls
    /// ``present(_:)``.
    ///
    /// - Throws: `busy` beyond the connection's limit, and the errors of `register`.
    package func addPresenter(
        of client: any ClaimClient, _ register: () async throws -> PresenterID
    ) async throws -> PresenterID {
        try clients.deliveries.add(client)
        watched.ring()
        do { return try await register() } catch {
            clients.deliveries.remove(nil, of: client)
            throw error
        }
    }

    /// Returns the client of a presenter; nil if it is gone.
    package func client(of presenter: ClaimSnapshot.ShownBy) -> (any ClaimClient)? {
        clients.deliveries.client(presenter.client.value)
    }

    /// Registers the client as the reader of the deliveries to its presenters.
    ///
    /// - Throws: `invalidRequest` if the connection has a reader.
    package func beginDeliveries(to client: any ClaimClient) throws(DaemonFailure) {
        try clients.deliveries.beginReading(client)
    }

    /// Waits for the next delivery to a presenter of the client; returns nil once the task is cancelled or the connection has ended.
    package func nextDelivery(to client: any ClaimClient) async -> PresenterOutbox.Delivery? {
        await clients.deliveries.next(of: client.connection)
    }
}
