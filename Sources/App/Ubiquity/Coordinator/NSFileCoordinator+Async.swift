public import Foundation

extension NSFileCoordinator {
    /// Accesses all the items together, without waiting. The accessor runs on the queue: with nil once access is
    /// granted and the intents have their current URLs, otherwise with the error.
    public func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let wanted = intents.map(\.wanted)
        do throws(CoordinationFailure) {
            let call = try makeCall()
            // Enclosing accesses do not wait for this access.
            Enclosing.$current.withValue([]) {
                access(wanted, call) { result in queue.addOperation { onQueue(result, call) } }
            }
        } catch {
            queue.addOperation { accessor(error.cocoa(wanted)) }
        }

        @Sendable func onQueue(_ result: Result<PreparedAccess, CoordinationFailure>, _ call: AccessCall) {
            do throws(CoordinationFailure) {
                let access: PreparedAccess
                do throws(CoordinationFailure) { access = try result.get() } catch {
                    call.end()
                    throw error
                }
                try access.begin(call)
                for (intent, url) in zip(intents, access.urls) { intent.follow(url) }
                access.run { _ in accessor(nil) }
                // The accessor has run, so a later error has no recipient.
                _ = access.end()
            } catch { accessor(error.cocoa(wanted)) }
        }
    }

    /// Reads an item while no coordinated access writes it, without blocking a thread. If the task is cancelled, it stops waiting.
    ///
    /// Not part of Apple's API. Errors are those of the blocking method, in the Cocoa domain, or the body's own.
    public func coordinate<T: Sendable>(
        readingItemAt url: URL, options: ReadingOptions = [], _ body: (URL) async throws -> T
    ) async throws -> T {
        try await coordinate([WantedItem(url: url, purpose: .reading(options))]) { try await body($0[0]) }
    }

    /// Writes an item without blocking a thread, while no other coordinated access reads or writes it.
    ///
    /// Not part of Apple's API.
    public func coordinate<T: Sendable>(
        writingItemAt url: URL, options: WritingOptions = [], _ body: (URL) async throws -> T
    ) async throws -> T {
        try await coordinate([WantedItem(url: url, purpose: .writing(options))]) { try await body($0[0]) }
    }

    /// Accesses all the items together, without blocking a thread. The body receives their current URLs, in the order
    /// of the intents.
    ///
    /// Not part of Apple's API.
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
        do throws(CoordinationFailure) {
            let call = try makeCall()
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    access(wanted, call) { continuation.resume(returning: $0) }
                }
            } onCancel: {
                call.cancel()
            }
            guard case .success(let prepared) = result else {
                call.end()
                return try result.get()
            }
            try prepared.begin(call)
            return prepared
        } catch { throw error.cocoa(wanted) }
    }

    /// Runs blocking work outside the tasks' thread pool.
    private static func aside<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }
}
