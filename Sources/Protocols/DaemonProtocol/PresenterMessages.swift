package import CloudModel

/// Registers a presenter of an item: it receives a question before others read or write the item, and notifications of
/// changes.
package struct PresentRequest: DaemonCall {
    package typealias Response = PresentingResponse
    package static let verb = "present"

    /// The item need not exist yet, but its folder must.
    package let path: MountPath
    /// The callbacks implemented by the presenter. No others are sent.
    package let callbacks: [PresenterCallback]
    /// Accesses with this purpose are the presenter's own: it receives no questions and no notifications about them.
    package let purpose: String?
    /// The attributes observed by the presenter, if it implements that callback; nil for all.
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

/// Removes a presenter. Requests waiting for its answer continue.
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

/// The answer to a ``PresenterQuestion``.
package struct AnswerRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "answer"
    package var admission: CallAdmission { .brief }

    package let question: UInt64
    /// Why the presenter failed, and with it the access; nil if it succeeded.
    package let failure: String?

    package init(question: UInt64, failure: String? = nil) {
        self.question = question
        self.failure = failure
    }
}

// MARK: Messages

/// The callbacks a presenter performs, in this order, before it sends a single ``AnswerRequest``.
package struct PresenterQuestion: Codable, Hashable, Sendable {
    package struct Part: Codable, Hashable, Sendable {
        package let callback: PresenterCallback
        /// The subitem, if the callback concerns a subitem.
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

/// Reports that the access for which the presenter made way is over.
package struct PresenterReacquire: Codable, Hashable, Sendable {
    package let presenter: UInt64
    package let question: UInt64

    package init(presenter: UInt64, question: UInt64) {
        self.presenter = presenter
        self.question = question
    }
}

/// A notification of a presenter after the event, without an answer. `accommodateDeletion` means that a program deleted
/// the item without coordination.
package struct PresenterEvent: Codable, Hashable, Sendable {
    package let presenter: UInt64
    package let callback: PresenterCallback
    /// The current path of the item or subitem, or its last path if it was deleted.
    package let path: MountPath?
    /// The path of a subitem before it moved.
    package let from: MountPath?
    /// The version in conflict or resolved, as a parameter of `resolve`.
    package let version: String?
    /// The changed attributes among those observed by the presenter.
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
