import Dispatch
import Fuse
import Glibc
import Synchronization

/// Files of the root with reads that misbehave as a test needs.
final class SpecialFiles: Sendable {
    enum Behaviour: String, CaseIterable {
        /// A task replies once the test releases the read.
        case held
        /// The handler never replies.
        case dropped
        /// Only an interrupt ends the read.
        case stuck
    }

    typealias Waiting = DeferredRequest<FuseReply.Data>

    private let nodes = Mutex<[FuseNode: Behaviour]>([:])
    private let waiting = Mutex<[Waiting]>([])
    private let unanswered = Mutex<[DeferredRequest<FuseReply.Entry>]>([])
    /// The reply to all later reads; nil: they wait.
    private let lastingReply = Mutex<String?>(nil)
    /// Signalled when a read arrives that gets no immediate reply.
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
        let reply = lastingReply.withLock { reply in
            if reply == nil { waiting.withLock { $0.append(request) } }
            return reply
        }
        if let reply { request.take()?.reply(Array(reply.utf8)) }
        arrivals.signal()
    }

    /// Never replies: a released request would get an error.
    func keepUnanswered(_ request: consuming FuseRequest<FuseReply.Entry>) {
        let request = request.deferred()
        unanswered.withLock { $0.append(request) }
        arrivals.signal()
    }

    /// Blocks until such a read arrives.
    func awaitArrival() { arrivals.wait() }

    /// Replies to the waiting reads, from a separate task, and to all later reads if `isLasting`.
    func release(_ text: String, isLasting: Bool = false) async {
        if isLasting { lastingReply.withLock { $0 = text } }
        let requests = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        await Task.detached {
            for request in requests { request.take()?.reply(Array(text.utf8)) }
        }.value
    }
}
