import Dispatch
import Fuse
import Glibc
import Synchronization

/// Files of the root whose reads misbehave in a way that a test wants to see.
final class SpecialFiles: Sendable {
    enum Behaviour: String, CaseIterable {
        /// Answered by a task, once the test says so.
        case held
        /// Never answered by the handler.
        case dropped
        /// Answered by nothing but an interrupt.
        case stuck
    }

    typealias Waiting = DeferredRequest<FuseReply.Data>

    private let nodes = Mutex<[FuseNode: Behaviour]>([:])
    private let waiting = Mutex<[Waiting]>([])
    /// Signalled when a read has come that is not answered at once.
    private let arrivals = DispatchSemaphore(value: 0)

    func add(_ behaviour: Behaviour, _ node: FuseNode) { nodes.withLock { $0[node] = behaviour } }

    func behaviour(of node: FuseNode) -> Behaviour? { nodes.withLock { $0[node] } }

    func read(_ behaviour: Behaviour, _ request: consuming FuseRequest<FuseReply.Data>) {
        switch behaviour {
        case .dropped: break
        case .held: keep(request.deferred())
        case .stuck:
            let request = request.deferred()
            request.onInterrupt { request.take()?.fail(EINTR) }
            keep(request)
        }
    }

    private func keep(_ request: Waiting) {
        waiting.withLock { $0.append(request) }
        arrivals.signal()
    }

    /// Blocks until a read has come.
    func awaitArrival() { arrivals.wait() }

    /// Replies to the waiting reads, from another task.
    func release(_ text: String) async {
        let requests = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        await Task.detached {
            for request in requests { request.take()?.reply(Array(text.utf8)) }
        }.value
    }
}
