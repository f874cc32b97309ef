import CloudModel
public import Foundation

/// An object showing a file or folder and taking part in the coordination of reads and writes.
///
/// Apple's name: `NSFilePresenter`. Add a presenter with ``NSFileCoordinator/addFilePresenter(_:)``; until
/// ``NSFileCoordinator/removeFilePresenter(_:)`` is called, its methods are called on ``presentedItemOperationQueue``.
/// All requirements except the first two properties have a default implementation. A method with a completion handler
/// must call it once: the waiting access continues then, or after ten seconds.
@preconcurrency
public protocol NSFilePresenter: NSObjectProtocol {
    /// The presented item's URL; nil if there is none yet. It is read when the presenter is added, and when a
    /// coordinator created for the presenter coordinates.
    var presentedItemURL: URL? { get }

    /// The queue for calls of the presenter's methods. It must not be the queue of a thread waiting in
    /// a coordinated access.
    var presentedItemOperationQueue: OperationQueue { get }

    /// The primary item of a related item, such as the film of a subtitle file.
    var primaryPresentedItemURL: URL? { get }

    /// The presenter's implemented methods; by default all. Other methods are not called, and no access waits for them.
    /// Not part of Apple's API, since the runtime determines the methods there.
    var presentedItemCallbacks: NSFilePresenterCallbacks { get }

    // MARK: Requests

    /// Asks the presenter to stop writing because another program wants to read. Call `reader` with a block to run when
    /// the reading is over, or nil.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)

    /// Asks the presenter to stop reading and writing because another program wants to write. Call `writer` with a
    /// block to run when the writing is over, or nil.
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)

    /// Asks the presenter to write unsaved changes because another program wants to read the item. An error makes the
    /// other access fail.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// Announces the item's upcoming deletion, or its deletion by a program without coordination. An error makes a
    /// coordinated deletion fail.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// Announces the upcoming eviction of the item's bytes from this device. An error makes the eviction fail, and so
    /// does the default implementation. If a presenter agrees, it removes itself.
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// Announces the deletion of an item in the presented folder or package, as ``accommodatePresentedItemDeletion(completionHandler:)``
    /// does.
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    // MARK: Requests, for tasks

    /// The asynchronous form of ``savePresentedItemChanges(completionHandler:)``; a presenter implements either form.
    /// It is called on the presenter's queue, which continues with other work while the method waits. The same applies
    /// to the next three methods.
    func savePresentedItemChanges() async throws
    func accommodatePresentedItemDeletion() async throws
    func accommodatePresentedItemEviction() async throws
    func accommodatePresentedSubitemDeletion(at url: URL) async throws

    // MARK: Notifications

    /// Reports the item's new URL. Called once for each move, by any program or device.
    func presentedItemDidMove(to newURL: URL)

    /// Reports a change to the content or metadata of the item, or of an item in it.
    func presentedItemDidChange()

    /// The attributes for which ``presentedItemDidChangeUbiquityAttributes(_:)`` is called; by default all. Read when
    /// the presenter is added.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// Reports a change of the item's state in the cloud; read it with `promisedItemResourceValues(forKeys:)`.
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)

    /// Reports a new conflict: another version of the item lost and is to be resolved. Called for conflicts caused by
    /// any program or device.
    func presentedItemDidGain(_ version: NSFileVersion)

    /// Reports the removal of a version from the item's history.
    func presentedItemDidLose(_ version: NSFileVersion)

    /// Reports a resolved conflict, and the removal of its losing version.
    func presentedItemDidResolveConflict(_ version: NSFileVersion)

    /// Reports a new item in the presented folder, at any depth.
    func presentedSubitemDidAppear(at url: URL)

    /// Reports a folder item's new URL.
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)

    /// Reports a change to an item in the folder.
    func presentedSubitemDidChange(at url: URL)

    /// Reports a conflict version of an item in the folder, as ``presentedItemDidGain(_:)`` does.
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)

    /// Reports the removal of a version of an item in the folder, as ``presentedItemDidLose(_:)`` does.
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)

    /// Reports a resolved conflict of an item in the folder, as ``presentedItemDidResolveConflict(_:)`` does.
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion)
}

/// A name for each of these methods.
extension NSFilePresenterCallbacks {
    public static let relinquishToReader = NSFilePresenterCallbacks(.relinquishToReader)
    public static let relinquishToWriter = NSFilePresenterCallbacks(.relinquishToWriter)
    public static let saveChanges = NSFilePresenterCallbacks(.saveChanges)
    public static let accommodateDeletion = NSFilePresenterCallbacks(.accommodateDeletion)
    public static let accommodateSubitemDeletion = NSFilePresenterCallbacks(.accommodateSubitemDeletion)
    public static let accommodateEviction = NSFilePresenterCallbacks(.accommodateEviction)
    public static let didMove = NSFilePresenterCallbacks(.didMove)
    public static let didChange = NSFilePresenterCallbacks(.didChange)
    public static let didChangeUbiquityAttributes = NSFilePresenterCallbacks(.didChangeUbiquityAttributes)
    public static let didGainVersion = NSFilePresenterCallbacks(.didGainVersion)
    public static let didLoseVersion = NSFilePresenterCallbacks(.didLoseVersion)
    public static let didResolveConflict = NSFilePresenterCallbacks(.didResolveConflict)
    public static let subitemDidAppear = NSFilePresenterCallbacks(.subitemDidAppear)
    public static let subitemDidMove = NSFilePresenterCallbacks(.subitemDidMove)
    public static let subitemDidChange = NSFilePresenterCallbacks(.subitemDidChange)
    public static let subitemDidGainVersion = NSFilePresenterCallbacks(.subitemDidGainVersion)
    public static let subitemDidLoseVersion = NSFilePresenterCallbacks(.subitemDidLoseVersion)
    public static let subitemDidResolveConflict = NSFilePresenterCallbacks(.subitemDidResolveConflict)
}

extension NSFilePresenter {
    public var primaryPresentedItemURL: URL? { nil }
    public var presentedItemCallbacks: NSFilePresenterCallbacks { .all }
    public func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        reader(nil)
    }
    public func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        writer(nil)
    }
    public func presentedItemDidMove(to newURL: URL) {}
    public func presentedItemDidChange() {}
    public func presentedSubitemDidAppear(at url: URL) {}
    public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}
    public func presentedSubitemDidChange(at url: URL) {}
    public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { URLResourceKey.observableUbiquityKeys }
    public func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}
    public func presentedItemDidLose(_ version: NSFileVersion) {}
    public func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
    public func presentedItemDidGain(_ version: NSFileVersion) {}
    public func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
    public func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
    public func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}

/// Default implementations. Each asynchronous method is called through its counterpart with a handler.
extension NSFilePresenter {
    public func savePresentedItemChanges() async throws {}
    public func accommodatePresentedItemDeletion() async throws {}
    public func accommodatePresentedItemEviction() async throws { throw CocoaError(.featureUnsupported) }
    public func accommodatePresentedSubitemDeletion(at url: URL) async throws {}

    public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterBox(self).inTask(completionHandler) { try await $0.savePresentedItemChanges() }
    }
    public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterBox(self).inTask(completionHandler) { try await $0.accommodatePresentedItemDeletion() }
    }
    public func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterBox(self).inTask(completionHandler) { try await $0.accommodatePresentedItemEviction() }
    }
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        PresenterBox(self).inTask(completionHandler) { try await $0.accommodatePresentedSubitemDeletion(at: url) }
    }
}

extension PresenterBox {
    fileprivate func inTask(
        _ completion: @escaping @Sendable ((any Error)?) -> Void,
        _ method: @escaping @Sendable (any NSFilePresenter) async throws -> Void
    ) {
        // The task starts immediately on this thread: a method without waiting finishes without a pool thread, which
        // its caller may block.
        Task.immediate { [self] in
            do {
                try await method(value)
                completion(nil)
            } catch { completion(error) }
        }
    }
}
