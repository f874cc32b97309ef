import CloudModel
import DaemonProtocol
public import Foundation
import Synchronization

/// The counterpart of `NSErrorPointer` of Apple's Foundation, a pointer to an error set by a call: pass
/// `&error`, or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Coordinates file access with other programs, and with the files' presenters.
///
/// Apple's name: `NSFileCoordinator`. In a mount of Ubiquity, the daemon decides among all coordinating programs, and a
/// plain program's `open` waits for a coordinated writer. Elsewhere, this process decides among its own coordinators
/// and presenters, and does not coordinate with other processes.
///
/// A call blocks its thread until access is granted, for as long as other accesses take: do not call it on the main
/// thread, or use an asynchronous method. It never blocks forever: an unresponsive presenter is skipped after ten
/// seconds, a dead or stopped program loses its claims, and in a deadlock one call fails with `CocoaError.fileLocking`.
/// Reading a document whose bytes are in the cloud fails if none of them arrive for 15 seconds
/// (`CocoaError.ubiquitousFileUnavailable` if the cloud is unreachable); no other access waits for that document
/// meanwhile. ``cancel()`` ends any of these waits.
// Its mutable state is behind a Mutex.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    /// Read options.
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Reads without asking presenters to save first.
        public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
        /// Reads the target of a symbolic link instead of the link.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
        /// Reads immediately, even during a write, and without a download: for names, dates and other metadata.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
        /// Gives the accessor an unchanging copy, so that no other access waits for it. The copy is removed when the
        /// accessor returns. A folder or package is copied as a zip file.
        public static let forUploading = ReadingOptions(rawValue: 1 << 3)
    }

    /// The kind of a write, with at most one of these options.
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The item is deleted: presenters of the item, and of items in it, are asked first.
        public static let forDeleting = WritingOptions(rawValue: 1 << 0)
        /// The item is moved: the write waits for claims below a folder.
        public static let forMoving = WritingOptions(rawValue: 1 << 1)
        /// The item is merged with new content: presenters save first.
        public static let forMerging = WritingOptions(rawValue: 1 << 2)
        /// The item is replaced: the write applies to whatever is at the URL when it begins, and does not follow an
        /// item moving away.
        public static let forReplacing = WritingOptions(rawValue: 1 << 3)
        /// Only content-independent metadata is written, such as tags.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)
    }

    struct State {
        var purpose = Purposes.next()
        var hasPurpose = false
        /// The waiting calls, for cancellation.
        var calls: [UInt64: AccessCall] = [:]
        var lastCall: UInt64 = 0
        var isCancelled = false
    }

    /// Unique purposes: a random part for the process, and a counter.
    private enum Purposes {
        private static let process = UUID().uuidString
        private static let last = Atomic<UInt64>(0)

        static func next() -> String {
            "coordinator-\(process)-\(last.add(1, ordering: .relaxed).newValue)"
        }
    }

    let state = Mutex(State())
    let presenter: PresenterBox?

    /// - Parameter filePresenter: The presenter on whose behalf this object coordinates. It is neither asked to
    ///   relinquish the item nor notified of these accesses.
    public init(filePresenter: (any NSFilePresenter)? = nil) {
        presenter = filePresenter.map(PresenterBox.init)
    }

    public override convenience init() { self.init(filePresenter: nil) }

    // MARK: Presenters

    /// This process's added presenters.
    open class var filePresenters: [any NSFilePresenter] { PresenterDirectory.shared.presenters }

    /// Adds a presenter and retains it until it is removed. Once this method returns, coordinated accesses of its item ask it first.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        PresenterDirectory.shared.add(filePresenter)
    }

    /// Removes a presenter: it receives no further messages, and accesses no longer wait for its answer.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        PresenterDirectory.shared.remove(filePresenter)
    }

    // MARK: Purpose

    /// Identifies accesses belonging together: accesses with the same purpose, of any coordinator and process, never
    /// wait for each other.
    ///
    /// The default is unique. It can be set once, to a nonempty text, on a coordinator without a presenter; otherwise
    /// setting it has no effect.
    open var purposeIdentifier: String {
        get { state.withLock { $0.purpose } }
        set {
            state.withLock { state in
                guard presenter == nil, !state.hasPurpose, (1...256).contains(newValue.utf8.count) else { return }
                state.purpose = newValue
                state.hasPurpose = true
            }
        }
    }

    // MARK: Moves and cancellation

    /// Announces an upcoming move. Needed for a move out of a mount, or into a different mount: otherwise presenters
    /// may be notified of a deletion before ``item(at:didMoveTo:)`` is called.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {
        let (old, new) = (ClaimRouter.shared.route(oldURL), ClaimRouter.shared.route(newURL))
        if old.authority !== new.authority { PresenterDirectory.shared.expectMove(from: old) }
    }

    /// Announces a completed move, inside the moving accessor, so that this process's presenters follow the item into a
    /// mount, out of a mount, and outside mounts. The daemon observes moves within a mount.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        let (old, new) = (ClaimRouter.shared.route(oldURL), ClaimRouter.shared.route(newURL))
        guard old.authority !== new.authority else { return old.authority.moved(old.path, to: new.path) }
        let own = presenter.flatMap { PresenterDirectory.shared.agent(of: $0.value) }
        PresenterDirectory.shared.move(old, to: new, except: own)
    }

    /// Announces a change of the item's state in a cloud. In a mount the daemon observes it, and this method does
    /// nothing; elsewhere it notifies this process's presenters of the item that observe the attributes.
    open func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {
        guard ClaimRouter.shared.route(url).mount == nil else { return }
        let own = presenter.flatMap { PresenterDirectory.shared.agent(of: $0.value) }
        PresenterDirectory.shared.notify(
            PresenterCall(.didChangeUbiquityAttributes, attributes: attributes), at: url, except: own)
    }

    /// Cancels, from any thread, every access of this coordinator waiting for others or for bytes: it fails with
    /// `CocoaError.userCancelled`, and its accessor never runs. Every later access of this coordinator fails in the
    /// same way. Requests already sent to presenters are not withdrawn.
    open func cancel() {
        let calls = state.withLock { state in
            state.isCancelled = true
            return Array(state.calls.values)
        }
        for call in calls { call.cancel() }
    }
}
