import DaemonProtocol
import Synchronization

/// Requests that last.
extension ClientSession {
    /// Sends events until they end, the client leaves, or does not want them any more.
    func follow(
        _ events: AsyncThrowingStream<DaemonEvent, any Error>, id: UInt64, _ connection: Connection
    ) async throws -> DaemonEnvelope.Body {
        let task = Task {
            for try await event in events { try await send(DaemonEnvelope(id: id, .event(event)), connection) }
        }
        following.withLock { $0[id] = task }
        defer { _ = following.withLock { $0.removeValue(forKey: id) } }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            try Task.checkCancellation()
            // Ended by the client in the middle of something: that is no failure.
            guard task.isCancelled else { throw error }
        }
        return .response(.done(DoneResponse()))
    }

    func unfollow(_ request: UnfollowRequest) -> DaemonEnvelope.Body {
        guard let task = following.withLock({ $0[request.request] }) else {
            return .failure(
                DaemonFailure(.notFound, "no request of number \(request.request) lasts on this connection"))
        }
        task.cancel()
        return .response(.done(DoneResponse()))
    }
}
