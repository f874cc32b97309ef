import Basics
package import Coordination
package import DaemonProtocol
import Synchronization

/// Pending messages to the presenters of each connection. Bounded: ``PresenterMailbox`` keeps a thousand notices of
/// each presenter, and a connection has at most ``maximumPresenters``.
package final class PresenterOutbox: Sendable {
    static let maximumPresenters = 100_000

    package typealias Delivery = (presenter: PresenterID, message: PresenterDelivery)

    fileprivate struct Box {
        var client: any ClaimClient
        /// How many presenters are registered, or about to be.
        var presenters = 0
        var mailboxes: [PresenterID: PresenterMailbox] = [:]
        /// Presenters with messages, each once, in the order of arrival; entries before `taken` have been read.
        var order: [PresenterID] = []
        var taken = 0
        var reader: CheckedContinuation<Delivery?, Never>?
        var isRead = false
    }

    private let boxes = RankedMutex<[UInt64: Box]>(.leaf, [:])
    private let count = Atomic(0)

    /// Costs one atomic load, so that tree changes are not slowed down while no program presents.
    package var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Processes with presenters.
    var processes: [ClientID: Int32] {
        let clients = boxes.withLock { $0.values.filter { $0.presenters > 0 }.map(\.client) }
        return Dictionary(clients.map { (ClientID($0.connection), $0.processID) }) { first, _ in first }
    }

    package func client(_ connection: UInt64) -> (any ClaimClient)? { boxes.withLock { $0[connection]?.client } }

    // MARK: Presenters

    /// Reserves a slot for a presenter before any lookup.
    package func add(_ client: any ClaimClient) throws(DaemonFailure) {
        try boxes.withLock { boxes throws(DaemonFailure) in
            var box = boxes[client.connection] ?? Box(client: client)
            guard box.presenters < Self.maximumPresenters else {
                throw DaemonFailure(.busy, "this connection already has \(Self.maximumPresenters) presenters")
            }
            box.presenters += 1
            boxes[client.connection] = box
            count.add(1, ordering: .sequentiallyConsistent)
        }
    }

    /// - Parameter presenter: Nil if it was never registered.
    package func remove(_ presenter: PresenterID?, of client: any ClaimClient) {
        boxes.withLock { boxes in
            guard boxes[client.connection] != nil else { return }
            boxes[client.connection]?.presenters -= 1
            if let presenter { boxes[client.connection]?.mailboxes[presenter] = nil }
            count.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    package func removeAll(of connection: UInt64) {
        let reader = boxes.withLock { boxes in
            let box = boxes.removeValue(forKey: connection)
            count.subtract(box?.presenters ?? 0, ordering: .sequentiallyConsistent)
            return box?.reader
        }
        reader?.resume(returning: nil)
    }

    // MARK: Messages

    func put(_ message: PresenterDelivery, for presenter: PresenterID, of connection: UInt64) {
        let handOver = boxes.withLock { boxes -> (CheckedContinuation<Delivery?, Never>, Delivery)? in
            // Messages to a closed connection are not read.
            guard boxes[connection] != nil else { return nil }
            boxes[connection]?.put(message, for: presenter)
            guard let reader = boxes[connection]?.reader, let next = boxes[connection]?.take() else { return nil }
            boxes[connection]?.reader = nil
            return (reader, next)
        }
        if let (reader, next) = handOver { reader.resume(returning: next) }
    }

    /// Registers the connection's reader of messages; there is at most one.
    package func beginReading(_ client: any ClaimClient) throws(DaemonFailure) {
        try boxes.withLock { boxes throws(DaemonFailure) in
            var box = boxes[client.connection] ?? Box(client: client)
            guard !box.isRead else {
                throw DaemonFailure(
                    .invalidRequest, "another request of this connection already receives its presenters' messages")
            }
            box.isRead = true
            boxes[client.connection] = box
        }
    }

    /// Waits for the next message; returns nil once the task is cancelled or the connection has ended.
    package func next(of connection: UInt64) async -> Delivery? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isLater, message) = boxes.withLock { boxes -> (Bool, Delivery?) in
                    // A cancellation handler running after this finds the continuation.
                    guard boxes[connection] != nil, !Task.isCancelled else { return (false, nil) }
                    if let message = boxes[connection]?.take() { return (false, message) }
                    boxes[connection]?.reader = continuation
                    return (true, nil)
                }
                if !isLater { continuation.resume(returning: message) }
            }
        } onCancel: {
            let reader = boxes.withLock { $0[connection]?.reader.take() }
            reader?.resume(returning: nil)
        }
    }
}

extension PresenterOutbox.Box {
    fileprivate mutating func put(_ message: PresenterDelivery, for presenter: PresenterID) {
        var mailbox = mailboxes[presenter] ?? PresenterMailbox()
        if mailbox.isEmpty { order.append(presenter) }
        mailbox.put(message)
        mailboxes[presenter] = mailbox
    }

    fileprivate mutating func take() -> PresenterOutbox.Delivery? {
        while taken < order.count {
            let presenter = order[taken]
            taken += 1
            // Only now and then, as this moves all pending entries.
            if taken * 2 > order.count {
                order.removeFirst(taken)
                taken = 0
            }
            // The presenter was removed in the meantime.
            guard var mailbox = mailboxes[presenter], let message = mailbox.take() else { continue }
            mailboxes[presenter] = mailbox.isEmpty ? nil : mailbox
            if !mailbox.isEmpty { order.append(presenter) }
            return (presenter, message)
        }
        return nil
    }
}
