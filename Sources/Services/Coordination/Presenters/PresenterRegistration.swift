package import CloudModel

/// What a client says of a presenter when it adds it.
package struct PresenterRegistration: Sendable {
    package let client: ClientID
    package let key: ItemKey
    package let callbacks: Set<PresenterCallback>
    /// Accesses of this purpose are its own: it gets no messages of them.
    package let purpose: Purpose?
    package let observed: UbiquityAttributes

    package init(
        client: ClientID, key: ItemKey, callbacks: Set<PresenterCallback> = .all, purpose: Purpose? = nil,
        observed: UbiquityAttributes = .all
    ) {
        self.client = client
        self.key = key
        self.callbacks = callbacks
        self.purpose = purpose
        self.observed = observed
    }
}
