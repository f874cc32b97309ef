import DaemonProtocol
import Synchronization

/// Requests that a client can end: those that last, and those that wait.
extension ClientSession {
    /// How to end what is under way, by the numbers of the requests.
    struct Endings {
        private var ends: [UInt64: @Sendable () -> Void] = [:]
        /// Called off before it was begun.
        private var early: Set<UInt64> = []

        /// - Returns: Whether it was called off already.
        mutating func add(_ id: UInt64, _ end: @escaping @Sendable () -> Void) -> Bool {
            ends[id] = end
            return early.remove(id) != nil
        }

        /// - Returns: What ends it; nil if it has not begun yet, and then it will be ended when it does.
        mutating func end(_ id: UInt64) -> (@Sendable () -> Void)? {
            if ends[id] == nil { early.insert(id) }
            return ends[id]
        }

        mutating func remove(_ id: UInt64) {
            ends[id] = nil
            early.remove(id)
        }
    }

    /// Sends events until they end, the client leaves, or does not want them any more.
    func follow(
        _ events: AsyncThrowingStream<DaemonEvent, any Error>, id: UInt64, _ connection: Connection
    ) async throws -> DaemonEnvelope.Body {
        // Ended by the client in the middle of something: that is no failure.
        _ = try await whileWanted(id) { [self] in
            for try await event in events { try await send(DaemonEnvelope(id: id, .event(event)), connection) }
        }
        return .response(DoneResponse())
    }

    /// Does a request that the client may call off.
    func endable(
        _ id: UInt64, _ work: @escaping @Sendable () async throws -> DaemonResponse
    ) async throws -> DaemonEnvelope.Body {
        guard let response = try await whileWanted(id, work) else {
            return .failure(DaemonFailure(.cancelled, "the request was called off"))
        }
        return .response(response)
    }

    /// Nil if the client ended it first.
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
            return .failure(DaemonFailure(.notFound, "no request of number \(id) is under way on this connection"))
        }
        end?()
        return .response(DoneResponse())
    }
}
