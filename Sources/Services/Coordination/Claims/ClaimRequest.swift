/// A coordinated access to one or several items, granted together or not at all.
package struct ClaimRequest: Sendable {
    package let client: ClientID
    package let purpose: Purpose
    package let accesses: [Access]
    /// The coordinator's presenter: it gets no messages of its own accesses. Accepted only from the same client.
    package let presenter: PresenterID?
    /// Accepted only if it names something of the same client, or a claim of the same named purpose.
    package let enclosure: Enclosure?
    /// How long to wait before the request times out; nil waits for as long as the holders take.
    package let patience: Duration?

    package init(
        client: ClientID, purpose: Purpose, accesses: [Access], presenter: PresenterID? = nil,
        enclosure: Enclosure? = nil, patience: Duration? = nil
    ) {
        self.client = client
        self.purpose = purpose
        self.accesses = accesses
        self.presenter = presenter
        self.enclosure = enclosure
        self.patience = patience
    }

    package var onlyReads: Bool { accesses.allSatisfy(\.isReading) }
}
