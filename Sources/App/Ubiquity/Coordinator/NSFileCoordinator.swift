import CloudModel
import DaemonProtocol
public import Foundation
import Synchronization

/// Where Apple's Foundation has a pointer to an error that a call may give, this is it: `&error`, or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Coordinates reading and writing of files with other programs, and with the presenters of these files.
///
/// Apple's name: `NSFileCoordinator`. In a mount of Ubiquity the daemon decides, among all programs that coordinate; what plain programs
/// open there waits for a coordinated writer. Elsewhere this process decides among its own coordinators and presenters, and other processes
/// know nothing of it.
///
/// A call blocks its thread until access is granted, for as long as other accesses take: call it off the main thread, or use one of the asynchronous
/// methods. It never blocks for good: presenters that do not answer are passed over after ten seconds, programs that die or are
/// stopped lose what they hold, and of calls that would wait for each other one gets an error (`CocoaError.fileLocking`). To read a document whose
/// bytes are in the cloud fails after 15 seconds in which none of them come (`CocoaError.ubiquitousFileUnavailable` where the cloud is
/// away); no other access waits for that document meanwhile. ``cancel()`` ends any of these waits.
// Its mutable state is behind a Mutex.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    /// How an item is read.
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Presenters are not asked to save first.
        public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
        /// What a symbolic link leads to is read, not the link.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
        /// At once, even during a write, and without a download: for names, dates and other metadata.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
        /// The accessor gets a copy that does not change, and no other access waits for it. It is gone when the accessor returns. Of a
        /// folder or package it is one zip file.
        public static let forUploading = ReadingOptions(rawValue: 1 << 3)
    }

    /// What a write is for. At most one of them.
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Those who present the item, or something in it, are asked first.
        public static let forDeleting = WritingOptions(rawValue: 1 << 0)
        /// Claims below a folder are waited for.
        public static let forMoving = WritingOptions(rawValue: 1 << 1)
        /// Presenters save first.
        public static let forMerging = WritingOptions(rawValue: 1 << 2)
        /// Means whatever is at the URL then: does not follow an item that moves away.
        public static let forReplacing = WritingOptions(rawValue: 1 << 3)
        /// Tags and the like, which stay what they are whatever the content is.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)
    }

    struct State {
        var purpose = Purposes.next()
        var hasPurpose = false
        /// What waits, to be called off.
        var calls: [UInt64: AccessCall] = [:]
        var lastCall: UInt64 = 0
        var isCancelled = false
    }

    /// Unique names: random once in a process, then counted.
    private enum Purposes {
        private static let process = UUID().uuidString
        private static let last = Atomic<UInt64>(0)

        static func next() -> String {
            "coordinator-\(process)-\(last.add(1, ordering: .relaxed).newValue)"
        }
    }

    let state = Mutex(State())
    let presenter: PresenterBox?

    /// - Parameter filePresenter: The presenter on whose behalf it coordinates: it is neither asked to relinquish nor notified of these
    ///   accesses.
    public init(filePresenter: (any NSFilePresenter)? = nil) {
        presenter = filePresenter.map(PresenterBox.init)
    }

    public override convenience init() { self.init(filePresenter: nil) }

    // MARK: Presenters

    /// The presenters of this process that were added.
    open class var filePresenters: [any NSFilePresenter] { PresenterDirectory.shared.presenters }

    /// Adds a presenter and retains it until it is removed. When this returns, coordinated accesses of its item ask it first.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        PresenterDirectory.shared.add(filePresenter)
    }

    /// Removes a presenter: it receives no further messages, and accesses that wait for its answer go on.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        PresenterDirectory.shared.remove(filePresenter)
    }

    // MARK: Purpose

    /// Who belongs together: accesses of one purpose, of whichever coordinators and processes, never wait for each other. Unique unless it is
    /// set, which it can be once, not to nothing, and not for a coordinator with a presenter; else setting it changes nothing.
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

    /// Announces that an item is about to be moved. Needed for a move out of a mount, or into another one: without it presenters may be
    /// notified of a deletion before ``item(at:didMoveTo:)`` is called.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {
        let (old, new) = (ClaimRouter.shared.route(oldURL), ClaimRouter.shared.route(newURL))
        if old.authority !== new.authority { PresenterDirectory.shared.expectMove(from: old) }
    }

    /// Announces that an item was moved, inside the accessor that moved it, so that its presenters follow it: those of this process into a
    /// mount, out of one, and outside of mounts. The daemon sees moves within a mount by itself.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        let (old, new) = (ClaimRouter.shared.route(oldURL), ClaimRouter.shared.route(newURL))
        guard old.authority !== new.authority else { return old.authority.moved(old.path, to: new.path) }
        let own = presenter.flatMap { PresenterDirectory.shared.agent(of: $0.value) }
        PresenterDirectory.shared.move(old, to: new, except: own)
    }

    /// Says that the state of an item in a cloud changed. In a mount the daemon sees that by itself, and this does nothing; elsewhere the item's
    /// presenters in this process are notified of it, if they observe it.
    open func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {
        guard ClaimRouter.shared.route(url).mount == nil else { return }
        let own = presenter.flatMap { PresenterDirectory.shared.agent(of: $0.value) }
        PresenterDirectory.shared.notify(
            PresenterCall(.didChangeUbiquityAttributes, attributes: attributes), at: url, except: own)
    }

    /// Cancels, from any thread, every access of this coordinator that waits for others or for bytes: it fails with `CocoaError.userCancelled`, and its
    /// accessor never runs. So does every later access of this coordinator. What presenters were asked stays asked.
    open func cancel() {
        let calls = state.withLock { state in
            state.isCancelled = true
            return Array(state.calls.values)
        }
        for call in calls { call.cancel() }
    }
}
