import Basics
import LocalMetadata
import Logging

/// When what changed here is sent.
extension SyncEngine {
    /// Rings the bells of the loops that send to the cloud, once what changed here has settled; a burst of changes is one ring.
    func watchLocalChanges() async {
        while !Task.isCancelled {
            let due = await untilDue()
            if let due, due > .zero {
                // With what a save does right behind its first change.
                await pause(due + context.lead)
            } else if due != nil {
                for bell in uploadBells.values { bell.ring() }
                // The bytes of small files are in the cloud by then, so that they are in one batch with the folder that they are in.
                await pause(context.lead)
                logBell.ring()
                await pause(context.gather)
                await localBell.wait(atMost: await untilNext(), clock: context.clock)
            } else {
                await localBell.wait(atMost: context.timing.poll, clock: context.clock)
            }
        }
    }

    /// Only cancellation ends a pause early, and then the loop.
    private func pause(_ duration: Duration) async { try? await context.clock.sleep(for: duration) }

    /// How long until the oldest change here has settled; nil when there is none.
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

    /// How long until a change settles that has not yet, at most a second: what has settled and is not sent waits for a transfer or for the cloud.
    private func untilNext() async -> Duration {
        let longest = Duration.seconds(1)
        let settled = context.time.now().adding(.zero - context.settle)
        do {
            let next = try await context.blocking { [context] in
                try context.metadata.read { try $0.pending.next(after: settled) }
            }
            return next.map { min(longest, max(.zero, context.settle - age(of: $0))) } ?? longest
        } catch {
            // The look at the oldest change reports what is wrong.
            return longest
        }
    }

    private func age(of time: Timestamp) -> Duration {
        .nanoseconds(max(0, context.time.now().nanoseconds &- time.nanoseconds))
    }
}
