import ControlServer
import Coordination
import DaemonProtocol
import Synchronization

/// What waits to be sent to the presenters of each connection. Bounded: of each presenter's notices ``PresenterMailbox`` keeps a
/// thousand, and a connection has at most ``maximumPresenters``.
final class PresenterOutbox: Sendable {
    static let maximumPresenters = 100_000

    typealias Letter = (presenter: PresenterID, letter: PresenterDelivery)

    fileprivate struct Box {
        var client: ClientContext
        /// Registered, or about to be.
        var presenters = 0
        var mailboxes: [PresenterID: PresenterMailbox] = [:]
        /// Presenters that have mail, each once, in the order in which it came; those before `taken` had theirs.
        var order: [PresenterID] = []
        var taken = 0
        var reader: CheckedContinuation<Letter?, Never>?
        var isRead = false
    }

    private let boxes = Mutex<[UInt64: Box]>([:])
    private let count = Atomic(0)

    /// One load: a change of the tree is not slowed down while no program presents.
    var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// The processes that have presenters.
    var processes: [ClientID: Int32] {
        let clients = boxes.withLock { $0.values.filter { $0.presenters > 0 }.map(\.client) }
        return Dictionary(clients.map { (ClientID($0.connection), $0.processID) }) { first, _ in first }
    }

    func client(_ connection: UInt64) -> ClientContext? { boxes.withLock { $0[connection]?.client } }

    // MARK: Presenters

    /// Makes room for a presenter, before anything is looked up for it.
    func add(_ client: ClientContext) throws(DaemonFailure) {
        try boxes.withLock { boxes throws(DaemonFailure) in
            var box = boxes[client.connection] ?? Box(client: client)
            guard box.presenters < Self.maximumPresenters else {
                throw DaemonFailure(.busy, "this connection has \(Self.maximumPresenters) presenters already")
            }
            box.presenters += 1
            boxes[client.connection] = box
            count.add(1, ordering: .sequentiallyConsistent)
        }
    }

    /// - Parameter presenter: Nil for one that was never registered.
    func remove(_ presenter: PresenterID?, of client: ClientContext) {
        boxes.withLock { boxes in
            guard boxes[client.connection] != nil else { return }
            boxes[client.connection]?.presenters -= 1
            if let presenter { boxes[client.connection]?.mailboxes[presenter] = nil }
            count.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    func removeAll(of connection: UInt64) {
        let reader = boxes.withLock { boxes in
            let box = boxes.removeValue(forKey: connection)
            count.subtract(box?.presenters ?? 0, ordering: .sequentiallyConsistent)
            return box?.reader
        }
        reader?.resume(returning: nil)
    }

    // MARK: Letters

    func put(_ letter: PresenterDelivery, for presenter: PresenterID, of connection: UInt64) {
        let handOver = boxes.withLock { boxes -> (CheckedContinuation<Letter?, Never>, Letter)? in
            // What a connection that has ended was sent is not read.
            guard boxes[connection] != nil else { return nil }
            boxes[connection]?.put(letter, for: presenter)
            guard let reader = boxes[connection]?.reader, let next = boxes[connection]?.take() else { return nil }
            boxes[connection]?.reader = nil
            return (reader, next)
        }
        if let (reader, next) = handOver { reader.resume(returning: next) }
    }

    /// Says who reads the letters of a connection: one at a time.
    func beginReading(_ client: ClientContext) throws(DaemonFailure) {
        try boxes.withLock { boxes throws(DaemonFailure) in
            var box = boxes[client.connection] ?? Box(client: client)
            guard !box.isRead else {
                throw DaemonFailure(.invalidRequest, "this connection is sent its letters already")
            }
            box.isRead = true
            boxes[client.connection] = box
        }
    }

    /// Waits for the next letter; nil once the task is cancelled or the connection has ended.
    func next(of connection: UInt64) async -> Letter? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isLater, letter) = boxes.withLock { boxes -> (Bool, Letter?) in
                    // A handler that runs after this finds the continuation.
                    guard boxes[connection] != nil, !Task.isCancelled else { return (false, nil) }
                    if let letter = boxes[connection]?.take() { return (false, letter) }
                    boxes[connection]?.reader = continuation
                    return (true, nil)
                }
                if !isLater { continuation.resume(returning: letter) }
            }
        } onCancel: {
            let reader = boxes.withLock { $0[connection]?.reader.take() }
            reader?.resume(returning: nil)
        }
    }
}

extension PresenterOutbox.Box {
    fileprivate mutating func put(_ letter: PresenterDelivery, for presenter: PresenterID) {
        var mailbox = mailboxes[presenter] ?? PresenterMailbox()
        if mailbox.isEmpty { order.append(presenter) }
        mailbox.put(letter)
        mailboxes[presenter] = mailbox
    }

    fileprivate mutating func take() -> PresenterOutbox.Letter? {
        while taken < order.count {
            let presenter = order[taken]
            taken += 1
            // Now and then, as it moves all that wait.
            if taken * 2 > order.count {
                order.removeFirst(taken)
                taken = 0
            }
            // None: it was withdrawn in the meantime.
            guard var mailbox = mailboxes[presenter], let letter = mailbox.take() else { continue }
            mailboxes[presenter] = mailbox.isEmpty ? nil : mailbox
            if !mailbox.isEmpty { order.append(presenter) }
            return (presenter, letter)
        }
        return nil
    }
}
