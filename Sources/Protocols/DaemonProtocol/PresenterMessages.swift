package import CloudModel

/// Registers a presenter of an item: it gets a question before others read or write, and notifications of what happened.
package struct PresentRequest: DaemonCall {
    package typealias Response = PresentingResponse
    package static let verb = "present"

    /// The item need not exist yet, but its folder must.
    package let path: MountPath
    /// The callbacks that it implements. No others are sent.
    package let callbacks: [PresenterCallback]
    /// Accesses of this purpose are its own: it gets no questions and no notifications about them.
    package let purpose: String?
    /// The attributes that it observes, if it has that callback; nil for all.
    package let observed: [ObservableAttribute]?

    package init(
        path: MountPath, callbacks: [PresenterCallback] = PresenterCallback.allCases, purpose: String? = nil,
        observed: [ObservableAttribute]? = nil
    ) {
        self.observed = observed
        self.path = path
        self.callbacks = callbacks
        self.purpose = purpose
    }
}

package struct PresentingResponse: CallResponse {
    package static let kind = "presenting"

    /// Unique in this daemon.
    package let presenter: UInt64
    package init(presenter: UInt64) { self.presenter = presenter }
}

/// Removes a presenter. Requests that wait for its reply go on.
package struct WithdrawRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "withdraw"
    package var admission: CallAdmission { .brief }

    package let presenter: UInt64
    package init(presenter: UInt64) { self.presenter = presenter }
}

/// Requests the events for this connection's presenters, until the client disconnects. May be sent once per connection.
package struct PresenterEventsRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "letters"

    package init() {}
}

/// The reply to a ``PresenterQuestion``.
package struct AnswerRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "answer"
    package var admission: CallAdmission { .brief }

    package let question: UInt64
    /// Why the presenter could not do it, in which case the access fails; nil if it did.
    package let failure: String?

    package init(question: UInt64, failure: String? = nil) {
        self.question = question
        self.failure = failure
    }
}

// MARK: Letters

/// What a presenter has to do, in this order, before it sends one ``AnswerRequest``.
package struct PresenterQuestion: Codable, Hashable, Sendable {
    package struct Part: Codable, Hashable, Sendable {
        package let callback: PresenterCallback
        /// The subitem, if the callback is about one.
        package let path: MountPath?

        package init(_ callback: PresenterCallback, path: MountPath? = nil) {
            self.callback = callback
            self.path = path
        }
    }

    package let presenter: UInt64
    package let question: UInt64
    package let parts: [Part]

    package init(presenter: UInt64, question: UInt64, parts: [Part]) {
        self.presenter = presenter
        self.question = question
        self.parts = parts
    }
}

/// The access that the presenter made way for is over.
package struct PresenterReturn: Codable, Hashable, Sendable {
    package let presenter: UInt64
    package let question: UInt64

    package init(presenter: UInt64, question: UInt64) {
        self.presenter = presenter
        self.question = question
    }
}

/// A notification of a presenter after the fact, without a reply. `accommodateDeletion`: a program deleted it without coordination.
package struct PresenterEvent: Codable, Hashable, Sendable {
    package let presenter: UInt64
    package let callback: PresenterCallback
    /// Where the item or the subitem is now, or was, if it was deleted.
    package let path: MountPath?
    /// Where a subitem was before it moved.
    package let from: MountPath?
    /// The version that came into conflict or was resolved, as `resolve` takes it.
    package let version: String?
    /// The attributes that changed, of those that it observes.
    package let attributes: [ObservableAttribute]?

    package init(
        presenter: UInt64, callback: PresenterCallback, path: MountPath? = nil, from: MountPath? = nil,
        version: String? = nil, attributes: [ObservableAttribute]? = nil
    ) {
        self.attributes = attributes
        self.presenter = presenter
        self.callback = callback
        self.path = path
        self.from = from
        self.version = version
    }
}
