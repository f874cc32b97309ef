import CloudModel
public import Foundation

/// Something that shows a file or folder and takes part in who reads and writes it when.
///
/// Apple's name: `NSFilePresenter`. Add it with ``NSFileCoordinator/addFilePresenter(_:)``; from then until
/// ``NSFileCoordinator/removeFilePresenter(_:)`` its methods are called on ``presentedItemOperationQueue``. Everything but the first two
/// properties has a default. Methods with a block as parameter must call it, once: the other access waits for that, though never longer
/// than ten seconds.
@preconcurrency
public protocol NSFilePresenter: NSObjectProtocol {
    /// What it shows. Nil while there is nothing yet; asked when the presenter is added and when a coordinator made for it coordinates.
    var presentedItemURL: URL? { get }

    /// Where its methods are called. Not the queue of a thread that waits in a coordinated access.
    var presentedItemOperationQueue: OperationQueue { get }

    /// For an item that belongs to another, such as subtitles to a film.
    var primaryPresentedItemURL: URL? { get }

    /// Which methods it has. Others are not called, and no access waits for them; by default all are. Not of Apple's: there the runtime knows.
    var presentedItemCallbacks: NSFilePresenterCallbacks { get }

    // MARK: Answered

    /// Another program wants to read: stop writing, then call `reader`, with what to do when the reading is over, or nil.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)

    /// Another program wants to write: stop reading and writing, then call `writer`, with what to do when the writing is over, or nil.
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)

    /// Another program wants to read the item: write what is not saved, then call the handler. An error makes the other access fail.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// The item is about to be deleted, or was deleted by a program that does not coordinate. An error makes a coordinated deletion fail.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// The bytes of the item are to be evicted from this device. Without a method of its own a presenter keeps them, and the eviction fails: so it
    /// does with an error. One that agrees removes itself.
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// As ``accommodatePresentedItemDeletion(completionHandler:)``, of something in the folder or package that is presented.
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    // MARK: Answered, for tasks

    /// As ``savePresentedItemChanges(completionHandler:)``; a presenter has one of the two forms. Called on the presenter's queue, which
    /// goes on while it waits. So are the next three.
    func savePresentedItemChanges() async throws
    func accommodatePresentedItemDeletion() async throws
    func accommodatePresentedItemEviction() async throws
    func accommodatePresentedSubitemDeletion(at url: URL) async throws

    // MARK: Notifications

    /// The item has another place or name. Called once for each move, by any program or device.
    func presentedItemDidMove(to newURL: URL)

    /// The content or metadata of the item changed, or of something in it.
    func presentedItemDidChange()

    /// Of ``presentedItemDidChangeUbiquityAttributes(_:)``: which it observes. Read when the presenter is added; by default all.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// What is so of the item in the cloud changed: read it with `promisedItemResourceValues(forKeys:)`.
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)

    /// Another version of the item lost a conflict and is to be resolved. Called for conflicts caused by any program or device.
    func presentedItemDidGain(_ version: NSFileVersion)

    /// A version of the item's history was removed.
    func presentedItemDidLose(_ version: NSFileVersion)

    /// A conflict was resolved; what lost it is gone.
    func presentedItemDidResolveConflict(_ version: NSFileVersion)

    /// Something is new in the folder that is presented, at any depth.
    func presentedSubitemDidAppear(at url: URL)

    /// Something in the folder has another place or name.
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)

    /// Something in the folder changed.
    func presentedSubitemDidChange(at url: URL)

    /// As ``presentedItemDidGain(_:)``, of something in the folder.
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)

    /// As ``presentedItemDidLose(_:)``, of something in the folder.
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)

    /// As ``presentedItemDidResolveConflict(_:)``, of something in the folder.
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

/// What was not implemented. Each of the methods with a handler stands for its form for tasks.
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
        // Begun here and now: one that does not wait ends without a thread of the pool, which its caller may hold up.
        Task.immediate { [self] in
            do {
                try await method(value)
                completion(nil)
            } catch { completion(error) }
        }
    }
}
