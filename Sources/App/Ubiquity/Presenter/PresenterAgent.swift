import CloudModel
import Coordination
import DaemonProtocol
import Foundation
import Synchronization

/// Serves a single presenter: receives its messages, calls its methods one after the other on its queue, and sends its
/// answers. A question overtakes waiting notifications, since an access waits for the answer.
final class PresenterAgent: Sendable {
    enum Delivery: Sendable {
        case question(UInt64, ArraySlice<PresenterCall>)
        case reacquire(UInt64)
        case notification(PresenterCall)
    }

    struct Registration: Sendable {
        let authority: any ClaimAuthority
        let enclosure: Enclosure
    }

    fileprivate struct State {
        var registration: Registration?
        var urgent: [Delivery] = []
        var notifications: [PresenterCall] = []
        /// Blocks to run at the end of the access the presenter relinquished for, by the question's number.
        var reacquirers: [UInt64: [@Sendable () -> Void]] = [:]
        /// The item's current URL according to undelivered notifications.
        var undeliveredMove: URL?
        var isScheduled = false
        var isOver = false
        /// The number of authorities so far: the answer to an authority's question is not sent to the next authority.
        var stay = 0
        /// Whether the item is moving to a new authority. A deletion reported meanwhile is held back until
        /// the next message.
        var isMoving = false
        var isDeletionHeldBack = false
    }

    /// How long a move waits for a presenter's notification: long enough for a running save, but bounded if the program
    /// waits for the move itself.
    static let patience = DispatchTimeInterval.seconds(5)

    let presenter: PresenterBox
    private let state = Mutex(State())

    init(_ presenter: any NSFilePresenter) { self.presenter = PresenterBox(presenter) }

    /// The callbacks the authority may send.
    var callbacks: [PresenterCallback] {
        let has = presenter.value.presentedItemCallbacks
        return PresenterCallback.allCases.filter { has.contains(NSFilePresenterCallbacks($0)) }
    }

    /// The presenter's observed attributes.
    var observed: [ObservableAttribute] {
        let keys = presenter.value.observedPresentedItemUbiquityAttributes
        return ObservableAttribute.allCases.filter { keys.contains($0.key) }
    }

    /// The presenter's authority, and its identity there; nil before registration.
    var registration: Registration? { state.withLock { $0.registration } }

    func enter(_ authority: any ClaimAuthority, _ enclosure: Enclosure) {
        state.withLock { $0.registration = Registration(authority: authority, enclosure: enclosure) }
    }

    /// Stops all deliveries.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.urgent = []
            state.notifications = []
            state.reacquirers = [:]
        }
    }

    func put(_ delivery: Delivery) {
        state.withLock { state in
            guard !state.isOver else { return }
            if state.isMoving {
                if case .notification(let call) = delivery, call.callback == .accommodateDeletion {
                    return state.isDeletionHeldBack = true
                }
                state.endMove()
            }
            switch delivery {
            case .question, .reacquire: state.urgent.append(delivery)
            // Repeated identical notifications are delivered once.
            case .notification(let call):
                if call != state.notifications.last { state.notifications.append(call) }
                if call.callback == .didMove { state.undeliveredMove = call.url }
            }
        }
        schedule()
    }

    private func schedule() {
        let begins = state.withLock { state in
            guard !state.isScheduled, !(state.urgent.isEmpty && state.notifications.isEmpty) else { return false }
            state.isScheduled = true
            return true
        }
        guard begins else { return }
        presenter.value.presentedItemOperationQueue.addOperation { [self] in
            if let delivery = take() { open(delivery) }
            state.withLock { $0.isScheduled = false }
            schedule()
        }
    }

    private func take() -> Delivery? {
        state.withLock { state in
            if !state.urgent.isEmpty { return state.urgent.removeFirst() }
            return state.notifications.isEmpty ? nil : .notification(state.notifications.removeFirst())
        }
    }

    // MARK: On the presenter's queue

    private func open(_ delivery: Delivery) {
        let around =
            Enclosing.current
            + [registration].compactMap(\.self).map {
                Enclosing(authority: $0.authority, enclosure: $0.enclosure)
            }
        Enclosing.$current.withValue(around) {
            switch delivery {
            case .question(let question, let tasks): work(on: question, tasks)
            case .reacquire(let question): reacquire(question)
            case .notification(let call):
                call.notify(presenter.value)
                guard call.callback == .didMove else { break }
                state.withLock { if $0.undeliveredMove == call.url { $0.undeliveredMove = nil } }
            }
        }
    }

    /// The item's URL if it moved and the presenter has not been notified yet.
    var undeliveredMove: URL? { state.withLock { $0.undeliveredMove } }

    /// Performs the first task. The next task follows when the presenter has called its completion handler.
    private func work(on question: UInt64, _ tasks: ArraySlice<PresenterCall>) {
        // Both are read together, so that the answer is sent to the asking access.
        let (asker, stay) = state.withLock { ($0.registration, $0.stay) }
        guard let task = tasks.first else { return answer(question, nil, to: asker) }
        let rest = tasks.dropFirst()
        let once = Once()
        let goOn: @Sendable ((any Error)?) -> Void = { [self] error in
            // A second call of the handler has no effect.
            guard once.isFirst() else { return }
            guard error == nil, !rest.isEmpty else { return answer(question, error, to: asker) }
            if state.withLock({ $0.stay == stay }) { put(.question(question, rest)) }
        }
        let giveWay: @Sendable ((@Sendable () -> Void)?) -> Void = { [self] reacquirer in
            if let reacquirer { keep(reacquirer, for: question, stay) }
            goOn(nil)
        }
        task.ask(presenter.value, giveWay: giveWay, goOn: goOn)
    }

    private func keep(_ reacquirer: @escaping @Sendable () -> Void, for question: UInt64, _ stay: Int) {
        let isKept = state.withLock { state in
            guard state.stay == stay else { return false }
            state.reacquirers[question, default: []].append(reacquirer)
            return true
        }
        // The asking program is gone and cannot end its access to the relinquished item.
        if !isKept { presenter.value.presentedItemOperationQueue.addOperation(reacquirer) }
    }

    private func answer(_ question: UInt64, _ error: (any Error)?, to asker: Registration?) {
        asker?.authority.answer(question, failure: error.map { $0.localizedDescription })
    }

    private func reacquire(_ question: UInt64) {
        let reacquirers = state.withLock { $0.reacquirers.removeValue(forKey: question) ?? [] }
        for reacquire in reacquirers { reacquire() }
    }
}

// MARK: Moves to a new authority

extension PresenterAgent {
    func expectMove() { state.withLock { $0.isMoving = true } }

    /// Leaves the authority, which no longer knows the presenter. That authority's undelivered messages are dropped,
    /// since they are about the item's former place.
    ///
    /// - Returns: The blocks passed by the relinquishing presenter, to be called when the access ends.
    func leave() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.registration = nil
            state.stay += 1
            (state.isMoving, state.isDeletionHeldBack) = (false, false)
            state.undeliveredMove = nil
            state.urgent = []
            state.notifications = state.notifications.filter { $0.callback == .didChange }
            defer { state.reacquirers = [:] }
            return state.reacquirers.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    /// Notifies the presenter of its item's new URL, and calls its blocks for the end of the access.
    ///
    /// - Returns: A semaphore signalled when the presenter has been notified; nil if the caller cannot wait.
    func follow(_ url: URL, isOwn: Bool, _ reacquirers: [@Sendable () -> Void]) -> DispatchSemaphore? {
        let queue = presenter.value.presentedItemOperationQueue
        let (known, isNotified) = (DispatchSemaphore(value: 0), !isOwn && callbacks.contains(.didMove))
        queue.addOperation { [presenter] in
            if isNotified { presenter.value.presentedItemDidMove(to: url) }
            for reacquire in reacquirers { reacquire() }
            known.signal()
        }
        return OperationQueue.current === queue ? nil : known
    }
}

extension PresenterAgent.State {
    fileprivate mutating func endMove() {
        isMoving = false
        if isDeletionHeldBack { notifications.append(PresenterCall(.accommodateDeletion)) }
        isDeletionHeldBack = false
    }
}

/// Carries a presenter between threads.
// The protocol requires that its properties can be read on any thread; all its methods are called on its own queue.
struct PresenterBox: @unchecked Sendable {
    let value: any NSFilePresenter
    init(_ value: any NSFilePresenter) { self.value = value }
}

/// Returns true once.
final class Once: Sendable {
    private let isDone = Atomic(false)
    func isFirst() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}
