import CloudModel
import Coordination
import DaemonProtocol
import Foundation
import Synchronization

/// Serves one presenter: takes what it is sent, calls its methods one after the other on its queue, and answers. A question passes the news
/// that wait, as an access waits for the answer.
final class PresenterAgent: Sendable {
    enum Delivery: Sendable {
        case question(UInt64, ArraySlice<PresenterCall>)
        case comeBack(UInt64)
        case news(PresenterCall)
    }

    struct Registration: Sendable {
        let authority: any ClaimAuthority
        let enclosure: Enclosure
    }

    fileprivate struct State {
        var registration: Registration?
        var urgent: [Delivery] = []
        var news: [PresenterCall] = []
        /// What to do when the access is over for which the presenter made way, by the number of the question.
        var reacquirers: [UInt64: [@Sendable () -> Void]] = [:]
        /// Where the item is by the last news that the presenter has not had yet.
        var undeliveredMove: URL?
        var isScheduled = false
        var isOver = false
        /// Counts the authorities that it was with: what was asked by one is not answered to the next.
        var stay = 0
        /// Its item is on its way to another authority; a deletion that was reported meanwhile waits for what comes next.
        var isMoving = false
        var isDeletionHeldBack = false
    }

    /// How long a move waits for a presenter to take note of it: for a save that runs, not for a program that waits for the move itself.
    static let patience = DispatchTimeInterval.seconds(5)

    let presenter: PresenterBox
    private let state = Mutex(State())

    init(_ presenter: any NSFilePresenter) { self.presenter = PresenterBox(presenter) }

    /// What the authority may send.
    var callbacks: [PresenterCallback] {
        let has = presenter.value.presentedItemCallbacks
        return PresenterCallback.allCases.filter { has.contains(NSFilePresenterCallbacks($0)) }
    }

    /// The attributes of its item that it observes.
    var observed: [ObservableAttribute] {
        let keys = presenter.value.observedPresentedItemUbiquityAttributes
        return ObservableAttribute.allCases.filter { keys.contains($0.key) }
    }

    /// Who knows it, and as what; nil before anybody does.
    var registration: Registration? { state.withLock { $0.registration } }

    func enter(_ authority: any ClaimAuthority, _ enclosure: Enclosure) {
        state.withLock { $0.registration = Registration(authority: authority, enclosure: enclosure) }
    }

    /// Nothing is delivered any more.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.urgent = []
            state.news = []
            state.reacquirers = [:]
        }
    }

    func put(_ delivery: Delivery) {
        state.withLock { state in
            guard !state.isOver else { return }
            if state.isMoving {
                if case .news(let news) = delivery, news.callback == .accommodateDeletion {
                    return state.isDeletionHeldBack = true
                }
                state.endMove()
            }
            switch delivery {
            case .question, .comeBack: state.urgent.append(delivery)
            // What says only that something is different is as good once as twice.
            case .news(let news):
                if news != state.news.last { state.news.append(news) }
                if news.callback == .didMove { state.undeliveredMove = news.url }
            }
        }
        schedule()
    }

    private func schedule() {
        let begins = state.withLock { state in
            guard !state.isScheduled, !(state.urgent.isEmpty && state.news.isEmpty) else { return false }
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
            return state.news.isEmpty ? nil : .news(state.news.removeFirst())
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
            case .comeBack(let question): comeBack(question)
            case .news(let news):
                news.notify(presenter.value)
                guard news.callback == .didMove else { break }
                state.withLock { if $0.undeliveredMove == news.url { $0.undeliveredMove = nil } }
            }
        }
    }

    /// Where the item is, if it moved and the presenter's queue has not come to that yet.
    var undeliveredMove: URL? { state.withLock { $0.undeliveredMove } }

    /// Does the first task; the next one follows when the presenter has called the block that it was given.
    private func work(on question: UInt64, _ tasks: ArraySlice<PresenterCall>) {
        // Taken together: the answer goes to the access that asked.
        let (asker, stay) = state.withLock { ($0.registration, $0.stay) }
        guard let task = tasks.first else { return answer(question, nil, to: asker) }
        let rest = tasks.dropFirst()
        let once = Once()
        let goOn: @Sendable ((any Error)?) -> Void = { [self] error in
            // The block is to be called once; a second call means nothing.
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
        // The program that asked is gone and cannot end the access that the presenter relinquished to.
        if !isKept { presenter.value.presentedItemOperationQueue.addOperation(reacquirer) }
    }

    private func answer(_ question: UInt64, _ error: (any Error)?, to asker: Registration?) {
        asker?.authority.answer(question, failure: error.map { $0.localizedDescription })
    }

    private func comeBack(_ question: UInt64) {
        let reacquirers = state.withLock { $0.reacquirers.removeValue(forKey: question) ?? [] }
        for reacquire in reacquirers { reacquire() }
    }
}

// MARK: Moves to another authority

extension PresenterAgent {
    func expectMove() { state.withLock { $0.isMoving = true } }

    /// Its authority does not know it any more. What that sent and the presenter has not seen is about a place that its item has left.
    ///
    /// - Returns: What the presenter relinquished with, to be called when the access ends.
    func leave() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.registration = nil
            state.stay += 1
            (state.isMoving, state.isDeletionHeldBack) = (false, false)
            state.undeliveredMove = nil
            state.urgent = []
            state.news = state.news.filter { $0.callback == .didChange }
            defer { state.reacquirers = [:] }
            return state.reacquirers.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    /// Notifies the presenter of where its item is now, and calls the blocks that it gave for the end of the access.
    ///
    /// - Returns: Signalled when the presenter has been notified; nil where that cannot be waited for.
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
        if isDeletionHeldBack { news.append(PresenterCall(.accommodateDeletion)) }
        isDeletionHeldBack = false
    }
}

/// Carries a presenter between threads.
// The protocol demands that its properties can be read on any thread; all its methods are called on its own queue.
struct PresenterBox: @unchecked Sendable {
    let value: any NSFilePresenter
    init(_ value: any NSFilePresenter) { self.value = value }
}

/// True once.
final class Once: Sendable {
    private let isDone = Atomic(false)
    func isFirst() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}
