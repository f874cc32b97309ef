import CloudModel
import DaemonProtocol
public import Foundation
import Synchronization

/// The counterpart of `NSErrorPointer` of Apple's Foundation, a pointer to an error that a call may set: pass `&error`, or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Coordinates reading and writing of files with other programs, and with the presenters of these files.
///
/// Apple's name: `NSFileCoordinator`. In a mount of Ubiquity, the daemon decides among all programs that coordinate, and a plain program's
/// `open` waits for a coordinated writer. Elsewhere, this process decides among its own coordinators and presenters, and does not
/// coordinate with other processes.
///
/// A call blocks its thread until access is granted, for as long as other accesses take: do not make it on the main thread, or use one of
/// the asynchronous methods. It never blocks forever: a presenter that does not respond is skipped after ten seconds, a program that dies
/// or is stopped loses its claims, and in a deadlock one call fails with `CocoaError.fileLocking`. Reading a document whose bytes are in
/// the cloud fails if none of them arrive for 15 seconds (`CocoaError.ubiquitousFileUnavailable` if the cloud is unreachable); no other
/// access waits for that document meanwhile. ``cancel()`` ends any of these waits.
// Its mutable state is behind a Mutex.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    /// Options of a read.
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Reads without asking presenters to save first.
        public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
        /// Reads the target of a symbolic link instead of the link.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
        /// Reads at once, even during a write, and without a download: for names, dates and other metadata.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
        /// Gives the accessor a copy that does not change, so that no other access waits for it. The copy is removed when the accessor
        /// returns. A folder or package is copied as one zip file.
        public static let forUploading = ReadingOptions(rawValue: 1 << 3)
    }

    /// The kind of a write. A write has at most one of these options.
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The item is deleted: presenters of the item, and of items in it, are asked first.
        public static let forDeleting = WritingOptions(rawValue: 1 << 0)
        /// The item is moved: the write waits for claims below a folder.
        public static let forMoving = WritingOptions(rawValue: 1 << 1)
        /// The item is merged with other content: presenters save first.
        public static let forMerging = WritingOptions(rawValue: 1 << 2)
        /// The item is replaced: the write applies to whatever is at the URL when it begins, and does not follow an item that moves away.
        public static let forReplacing = WritingOptions(rawValue: 1 << 3)
        /// Only metadata that does not depend on the content, such as tags, is written.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)
    }

    struct State {
        var purpose = Purposes.next()
        var hasPurpose = false
        /// The waiting calls, which can be cancelled.
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

    /// - Parameter filePresenter: The presenter on whose behalf this object coordinates. It is neither asked to relinquish the item nor
    ///   notified of these accesses.
    public init(filePresenter: (any NSFilePresenter)? = nil) {
        presenter = filePresenter.map(PresenterBox.init)
    }

    public override convenience init() { self.init(filePresenter: nil) }

    // MARK: Presenters

    /// The presenters of this process that were added.
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

    /// Identifies accesses that belong together: accesses with the same purpose, of any coordinator and process, never wait for each other.
    ///
    /// The default is unique. It can be set once, to a text that is not empty, on a coordinator without a presenter; otherwise setting it
    /// has no effect.
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

    /// Announces that an item is about to be moved. This is needed for a move out of a mount, or into another one: otherwise presenters may
    /// be notified of a deletion before ``item(at:didMoveTo:)`` is called.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {
        let (old, new) = (ClaimRouter.shared.route(oldURL), ClaimRouter.shared.route(newURL))
        if old.authority !== new.authority { PresenterDirectory.shared.expectMove(from: old) }
    }

    /// Announces that an item was moved, inside the accessor that moved it, so that this process's presenters follow it into a mount, out
    /// of one, and outside of mounts. The daemon sees moves within a mount by itself.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        let (old, new) = (ClaimRouter.shared.route(oldURL), ClaimRouter.shared.route(newURL))
        guard old.authority !== new.authority else { return old.authority.moved(old.path, to: new.path) }
        let own = presenter.flatMap { PresenterDirectory.shared.agent(of: $0.value) }
        PresenterDirectory.shared.move(old, to: new, except: own)
    }

    /// Announces that the item's state in a cloud changed. In a mount the daemon sees that by itself, and this method does nothing;
    /// elsewhere it notifies the item's presenters in this process that observe the attributes.
    open func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {
        guard ClaimRouter.shared.route(url).mount == nil else { return }
        let own = presenter.flatMap { PresenterDirectory.shared.agent(of: $0.value) }
        PresenterDirectory.shared.notify(
            PresenterCall(.didChangeUbiquityAttributes, attributes: attributes), at: url, except: own)
    }

    /// Cancels, from any thread, every access of this coordinator that waits for others or for bytes: it fails with
    /// `CocoaError.userCancelled`, and its accessor never runs. Every later access of this coordinator fails in the same way. Requests
    /// already sent to presenters are not withdrawn.
    open func cancel() {
        let calls = state.withLock { state in
            state.isCancelled = true
            return Array(state.calls.values)
        }
        for call in calls { call.cancel() }
    }
}
