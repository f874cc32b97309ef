import DaemonProtocol
import Synchronization

/// Requests that a client can end: those sending events, and those waiting.
extension ClientSession {
    /// The functions for ending running requests, by request number.
    struct Endings {
        private var ends: [UInt64: @Sendable () -> Void] = [:]
        /// Requests cancelled before they began.
        private var early: Set<UInt64> = []

        /// - Returns: Whether the request was cancelled already.
        mutating func add(_ id: UInt64, _ end: @escaping @Sendable () -> Void) -> Bool {
            ends[id] = end
            return early.remove(id) != nil
        }

        /// - Returns: The function to end the request; nil if it has not begun yet, and then it is ended when it
        ///   begins.
        mutating func end(_ id: UInt64) -> (@Sendable () -> Void)? {
            if ends[id] == nil { early.insert(id) }
            return ends[id]
        }

        mutating func remove(_ id: UInt64) {
            ends[id] = nil
            early.remove(id)
        }
    }

    /// Sends events until they end, the client disconnects, or the client ends the request.
    func follow(
        _ events: AsyncThrowingStream<DaemonEvent, any Error>, id: UInt64, _ connection: Connection
    ) async throws -> DaemonEnvelope.Body {
        // The client may end the request at any point: that is no failure.
        _ = try await whileWanted(id) { [self] in
            for try await event in events { try await send(DaemonEnvelope(id: id, .event(event)), connection) }
        }
        return .response(DoneResponse())
    }

    /// Performs a cancellable request.
    func endable(
        _ id: UInt64, _ work: @escaping @Sendable () async throws -> DaemonResponse
    ) async throws -> DaemonEnvelope.Body {
        guard let response = try await whileWanted(id, work) else {
            return .failure(DaemonFailure(.cancelled, "the request was cancelled"))
        }
        return .response(response)
    }

    /// Runs `work`; returns nil if the client ended the request first.
    func whileWanted<T: Sendable>(
        _ id: UInt64, _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T? {
        let task = Task { try await work() }
        let isLate = endings.withLock { $0.add(id) { task.cancel() } }
        if isLate { task.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            try Task.checkCancellation()
            guard task.isCancelled else { throw error }
            return nil
        }
    }

    func unfollow(_ request: UnfollowRequest) -> DaemonEnvelope.Body {
        let id = request.request
        let (isUnderWay, end) = endings.withLock { endings -> (Bool, (@Sendable () -> Void)?) in
            guard state.withLock({ $0.isEndable(id) }) else { return (false, nil) }
            return (true, endings.end(id))
        }
        guard isUnderWay else {
            return .failure(DaemonFailure(.notFound, "this connection has no pending request with number \(id)"))
        }
        end?()
        return .response(DoneResponse())
    }
}
