import Synchronization

/// A doorbell: rung any number of times, it wakes its one waiter once.
package final class Wakeup: Sendable {
    private let stream: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    package init() { (stream, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    package func ring() { bell.yield() }

    /// Returns when the bell was rung since the last call, or the time is over.
    func wait(atMost duration: Duration, clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in self.stream { return } }
            // Cancelled by the other; that is its only way to fail.
            group.addTask { try? await clock.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }
}
