package import CloudModel

/// The description of a presenter that a client adds.
package struct PresenterRegistration: Sendable {
    package let client: ClientID
    package let key: ItemKey
    package let callbacks: Set<PresenterCallback>
    /// The purpose whose accesses are the presenter's own: it gets no messages of them.
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
