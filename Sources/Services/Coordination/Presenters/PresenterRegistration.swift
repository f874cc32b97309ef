package import CloudModel

/// A client's description of a new presenter.
package struct PresenterRegistration: Sendable {
    package let client: ClientID
    package let key: ItemKey
    package let callbacks: Set<PresenterCallback>
    /// The purpose of the presenter's own accesses: it gets no messages of them.
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
