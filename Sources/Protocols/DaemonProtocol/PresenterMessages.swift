/// Something in the client's program shows an item from now on: it is asked before others read or write, and told what happened.
package struct PresentRequest: Codable, Hashable, Sendable {
    /// It need not exist yet; the folder it is in must.
    package let path: MountPath
    /// What it can be sent. Nothing else is.
    package let callbacks: [PresenterCallback]
    /// Accesses of this purpose are its own: it hears nothing of them.
    package let purpose: String?
    /// Which attributes it wants to hear of, if it has that callback; nil: all.
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

/// What a presenter can be sent; the names of `NSFilePresenter`, shortened. Those of the first line are asked and answered.
package enum PresenterCallback: String, Codable, Hashable, Sendable, CaseIterable {
    case relinquishToReader, relinquishToWriter, saveChanges, accommodateDeletion, accommodateSubitemDeletion,
        accommodateEviction
    case didMove, didChange, subitemDidAppear, subitemDidMove, subitemDidChange
    case didGainVersion, didResolveConflict, subitemDidGainVersion, subitemDidResolveConflict
    case didLoseVersion, subitemDidLoseVersion, didChangeUbiquityAttributes
}

/// What is said of a document's state in the cloud; the names of `URLResourceKey`, shortened.
package enum ObservableAttribute: String, Codable, Hashable, Sendable, CaseIterable {
    case isUbiquitousItem, downloadingStatus, isDownloading, downloadRequested, downloadingError
    case isUploaded, isUploading, uploadingError, hasUnresolvedConflicts, containerDisplayName
    case isExcludedFromSync, isSyncPaused
}

package struct PresentingResponse: Codable, Hashable, Sendable {
    /// Unique in this daemon.
    package let presenter: UInt64
    package init(presenter: UInt64) { self.presenter = presenter }
}

/// The presenter is gone. Whoever waits for its answer waits no more.
package struct WithdrawRequest: Codable, Hashable, Sendable {
    package let presenter: UInt64
    package init(presenter: UInt64) { self.presenter = presenter }
}

/// Asks for what this connection's presenters are sent: events, until the client leaves. Once for each connection.
package struct PresenterEventsRequest: Codable, Hashable, Sendable {
    package init() {}
}

/// The answer to a ``PresenterQuestion``.
package struct AnswerRequest: Codable, Hashable, Sendable {
    package let question: UInt64
    /// Why it could not be done: the access that it was for fails. Nil if it was.
    package let failure: String?

    package init(question: UInt64, failure: String? = nil) {
        self.question = question
        self.failure = failure
    }
}

// MARK: Letters

/// What a presenter has to do, in this order, before it gives one ``AnswerRequest``.
package struct PresenterQuestion: Codable, Hashable, Sendable {
    package struct Part: Codable, Hashable, Sendable {
        package let callback: PresenterCallback
        /// The subitem, where it is about one.
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

/// What a presenter is told after the fact; not answered. `accommodateDeletion`: it was deleted by somebody who did not ask.
package struct PresenterEvent: Codable, Hashable, Sendable {
    package let presenter: UInt64
    package let callback: PresenterCallback
    /// Where the item or the subitem is now, or was, if it was deleted.
    package let path: MountPath?
    /// Where a subitem was before it moved.
    package let from: MountPath?
    /// That came into conflict, or was resolved; what `resolve` takes.
    package let version: String?
    /// Those that changed, of those that it observes.
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
