import Basics
import LocalMetadata
import Logging

/// Decides when local changes are sent.
extension SyncEngine {
    /// Rings the bells of the sending loops, once local changes have settled; a burst of changes rings them once.
    func watchLocalChanges() async {
        var burst = BurstDelay()
        while !Task.isCancelled {
            let due = await untilDue()
            if let due, due > .zero {
                burst.look(changes)
                // Includes the changes of a save right after its first one.
                await pause(due + context.lead)
            } else if due != nil {
                await waitForLull(&burst)
                for bell in uploadBells.values { bell.ring() }
                // By then the bytes of small files are in the cloud, so that they share a batch with their folder.
                await pause(context.lead)
                logBell.ring()
                await pause(context.gather)
                await localBell.wait(atMost: await untilNext(), clock: context.clock)
            } else {
                await localBell.wait(atMost: context.timing.poll, clock: context.clock)
            }
        }
    }

    /// Waits while a burst of changes delays sending, unless a client waits for everything to be in the cloud.
    func waitForLull(_ burst: inout BurstDelay) async {
        while !Task.isCancelled, !context.urgency.isUrgent, let delay = burst.delay(changes) { await pause(delay) }
    }

    /// Only cancellation ends a pause early, and then it ends the loop as well.
    private func pause(_ duration: Duration) async { try? await context.clock.sleep(for: duration) }

    /// Returns how long it takes until the oldest local change has settled; nil when there is none.
    private func untilDue() async -> Duration? {
        do {
            let oldest = try await context.blocking { [context] in
                try context.followClock()
                return try context.metadata.read { try $0.pending.oldest() }
            }
            return oldest.map { max(.zero, context.settle - age(of: $0)) }
        } catch {
            context.log.error("could not read the queue", metadata: ["error": "\(error)"])
            return .seconds(5)
        }
    }

    /// Returns how long it takes until the next unsettled change settles, at most a second: a settled but unsent change
    /// waits for a transfer or for the cloud. An unreachable cloud is retried less often, since a laptop can be without
    /// a network for days.
    private func untilNext() async -> Duration {
        let isAway = if case .offline = state { true } else { false }
        let longest = Duration.seconds(isAway ? 5 : 1)
        let settled = context.time.now().adding(.zero - context.settle)
        do {
            let next = try await context.blocking { [context] in
                try context.metadata.read { try $0.pending.next(after: settled) }
            }
            return next.map { min(longest, max(.zero, context.settle - age(of: $0))) } ?? longest
        } catch {
            // The query for the oldest change reports the error.
            return longest
        }
    }

    private func age(of time: Timestamp) -> Duration {
        .nanoseconds(max(0, context.time.now().nanoseconds &- time.nanoseconds))
    }
}
