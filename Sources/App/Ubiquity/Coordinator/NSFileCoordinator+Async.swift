public import Foundation

extension NSFileCoordinator {
    /// Accesses all the items together, and returns at once. The accessor runs on the queue, with nil when it is its turn and the URLs of the
    /// intents are those of now, else with what went wrong.
    public func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let wanted = intents.map(\.wanted)
        // Whatever this is called in does not wait for it.
        _ = Enclosing.$current.withValue([]) { begin(wanted, onQueue) }

        @Sendable func onQueue(_ result: Result<HeldClaims, CoordinationFailure>) {
            queue.addOperation {
                do throws(CoordinationFailure) {
                    let access = try result.get().prepare()
                    for (intent, url) in zip(intents, access.urls) { intent.follow(url) }
                    access.run { _ in accessor(nil) }
                    // The accessor has run; there is nobody to tell what comes after it.
                    _ = access.end()
                } catch { accessor(error.cocoa(wanted)) }
            }
        }
    }

    /// Reads an item while nobody who coordinates writes it, without blocking a thread. A cancelled task stops waiting.
    ///
    /// Not of Apple's. Errors are of Cocoa's domain, as those of the blocking method, or the body's own.
    public func coordinate<T: Sendable>(
        readingItemAt url: URL, options: ReadingOptions = [], _ body: (URL) async throws -> T
    ) async throws -> T {
        try await coordinate([WantedItem(url: url, purpose: .reading(options))]) { try await body($0[0]) }
    }

    /// Writes an item that nobody else who coordinates reads or writes meanwhile, without blocking a thread.
    ///
    /// Not of Apple's.
    public func coordinate<T: Sendable>(
        writingItemAt url: URL, options: WritingOptions = [], _ body: (URL) async throws -> T
    ) async throws -> T {
        try await coordinate([WantedItem(url: url, purpose: .writing(options))]) { try await body($0[0]) }
    }

    /// Accesses all the items together, without blocking a thread. The body gets their URLs of now, in the order of the intents.
    ///
    /// Not of Apple's.
    public func coordinate<T: Sendable>(
        with intents: [NSFileAccessIntent], _ body: ([URL]) async throws -> T
    ) async throws -> T {
        try await coordinate(intents.map(\.wanted)) { urls in
            for (intent, url) in zip(intents, urls) { intent.follow(url) }
            return try await body(urls)
        }
    }

    private func coordinate<T: Sendable>(
        _ wanted: [WantedItem], _ body: ([URL]) async throws -> T
    ) async throws -> T {
        let access = try await access(wanted)
        let result: Result<T, any Error>
        do {
            result = .success(
                try await Enclosing.$current.withValue(access.enclosing) { try await body(access.urls) })
        } catch { result = .failure(error) }
        let failure = await Self.aside { access.end() }
        let value = try result.get()
        if let failure { throw failure.cocoa(wanted) }
        return value
    }

    private func access(_ wanted: [WantedItem]) async throws -> PreparedAccess {
        let (outcomes, outcome) = AsyncStream<Result<PreparedAccess, CoordinationFailure>>.makeStream()
        let around = Enclosing.current
        let sequence = begin(wanted) { result in
            DispatchQueue.global().async {
                Enclosing.$current.withValue(around) {
                    outcome.yield(Self.prepared(result))
                    outcome.finish()
                }
            }
        }
        let result = await withTaskCancellationHandler {
            // The stream must not end with the task: what was granted has to be given back.
            await Task { await outcomes.first { _ in true } }.value
        } onCancel: {
            sequence.cancel()
        }
        do { return try (result ?? .failure(.cancelled)).get() } catch { throw error.cocoa(wanted) }
    }

    private static func prepared(
        _ result: Result<HeldClaims, CoordinationFailure>
    ) -> Result<PreparedAccess, CoordinationFailure> {
        do throws(CoordinationFailure) { return .success(try result.get().prepare()) } catch { return .failure(error) }
    }

    /// Runs what may block off the pool of the tasks.
    private static func aside<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }
}
