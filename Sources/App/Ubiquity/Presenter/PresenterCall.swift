import CloudModel
import Foundation

/// A callback with its parameters, to be called on the presenter's queue: a question or a notification.
struct PresenterCall: Hashable, Sendable {
    let callback: PresenterCallback
    /// The item's or subitem's URL, or its last URL if it was deleted.
    var url: URL?
    /// The URL before a move.
    var oldURL: URL?
    /// The identifier of a version.
    var version: String?
    var attributes: Set<URLResourceKey>?

    init(
        _ callback: PresenterCallback, _ url: URL? = nil, from oldURL: URL? = nil, version: String? = nil,
        attributes: Set<URLResourceKey>? = nil
    ) {
        self.callback = callback
        self.url = url
        self.oldURL = oldURL
        self.version = version
        self.attributes = attributes
    }

    /// Whether the call has all required parameters.
    var isComplete: Bool {
        let given: [(PresenterCallback.Parameters, Bool)] = [
            (.path, url != nil), (.from, oldURL != nil), (.version, version != nil), (.attributes, attributes != nil),
        ]
        return given.allSatisfy { parameter, isGiven in isGiven || !callback.parameters.contains(parameter) }
    }

    /// Calls the asking method.
    ///
    /// - Parameters:
    ///   - giveWay: Called with the block to run when the access is over.
    ///   - goOn: Called with the error if the presenter refuses, otherwise with nil.
    func ask(
        _ value: any NSFilePresenter, giveWay: @escaping @Sendable ((@Sendable () -> Void)?) -> Void,
        goOn: @escaping @Sendable ((any Error)?) -> Void
    ) {
        switch (callback, url) {
        case (.relinquishToReader, _): value.relinquishPresentedItem(toReader: giveWay)
        case (.relinquishToWriter, _): value.relinquishPresentedItem(toWriter: giveWay)
        case (.saveChanges, _): value.savePresentedItemChanges(completionHandler: goOn)
        case (.accommodateDeletion, _): value.accommodatePresentedItemDeletion(completionHandler: goOn)
        case (.accommodateEviction, _): value.accommodatePresentedItemEviction(completionHandler: goOn)
        case (.accommodateSubitemDeletion, let url?):
            value.accommodatePresentedSubitemDeletion(at: url, completionHandler: goOn)
        // A notification requires no answer.
        default: goOn(nil)
        }
    }

    /// Calls the notifying method.
    func notify(_ value: any NSFilePresenter) {
        switch callback {
        case .didChange: value.presentedItemDidChange()
        case .accommodateDeletion: value.accommodatePresentedItemDeletion { _ in }
        case .didMove: if let url { value.presentedItemDidMove(to: url) }
        case .didChangeUbiquityAttributes:
            let observed = attributes?.intersection(value.observedPresentedItemUbiquityAttributes) ?? []
            if !observed.isEmpty { value.presentedItemDidChangeUbiquityAttributes(observed) }
        case .didGainVersion: gained(at: value.presentedItemURL).map(value.presentedItemDidGain)
        case .didLoseVersion: lost(at: value.presentedItemURL).map(value.presentedItemDidLose)
        case .didResolveConflict: resolved(at: value.presentedItemURL).map(value.presentedItemDidResolveConflict)
        default: if let url { notify(value, ofSubitem: url) }
        }
    }

    private func notify(_ value: any NSFilePresenter, ofSubitem url: URL) {
        switch callback {
        case .subitemDidAppear: value.presentedSubitemDidAppear(at: url)
        case .subitemDidChange: value.presentedSubitemDidChange(at: url)
        case .subitemDidMove: if let oldURL { value.presentedSubitem(at: oldURL, didMoveTo: url) }
        case .accommodateSubitemDeletion: value.accommodatePresentedSubitemDeletion(at: url) { _ in }
        case .subitemDidGainVersion: gained(at: url).map { value.presentedSubitem(at: url, didGain: $0) }
        case .subitemDidLoseVersion: lost(at: url).map { value.presentedSubitem(at: url, didLose: $0) }
        case .subitemDidResolveConflict: resolved(at: url).map { value.presentedSubitem(at: url, didResolve: $0) }
        // The remaining callbacks are sent as questions only.
        default: break
        }
    }

    private func gained(at url: URL?) -> NSFileVersion? {
        guard let url, let version else { return nil }
        return NSFileVersion.version(itemAt: url, forPersistentIdentifier: NSString(string: version))
    }

    private func lost(at url: URL?) -> NSFileVersion? { gone(at: url, wasConflict: false) }

    private func resolved(at url: URL?) -> NSFileVersion? { gone(at: url, wasConflict: true) }

    private func gone(at url: URL?, wasConflict: Bool) -> NSFileVersion? {
        guard let url, let version else { return nil }
        return NSFileVersion(gone: version, wasConflict: wasConflict, of: url)
    }
}
