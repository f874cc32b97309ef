import Basics
import CloudModel
import CloudStorage
import Logging
import S3Client
import Synchronization

/// Checks the bell for a consumer of events; ends with its last reference.
final class BellWatcher: Sendable {
    let mailbox = EventMailbox()
    private let task: Task<Void, Never>

    init(_ backend: S3Backend) {
        let mailbox = mailbox
        task = Task {
            var round = BellRound(backend, mailbox)
            await round.run()
            mailbox.end()
        }
    }

    deinit { end() }

    func end() {
        task.cancel()
        mailbox.end()
    }
}

/// The successive checks of a bell.
private struct BellRound: ~Copyable {
    private let backend: S3Backend
    private let mailbox: EventMailbox
    private let nap = Nap()
    private let elapsed: @Sendable () -> Duration
    private var schedule: BellSchedule
    private var etag: String?
    /// The last entry of each log known to this consumer.
    private var ends: [ContainerName: UInt64]?
    private var isInterrupted = false

    init(_ backend: S3Backend, _ mailbox: EventMailbox) {
        self.backend = backend
        self.mailbox = mailbox
        schedule = backend.schedule
        elapsed = Self.stopwatch(backend.clock)
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    mutating func run() async {
        let listener = backend.addListener { [nap] in nap.end(becauseOfChange: true) }
        while !Task.isCancelled {
            do {
                try await look()
                if isInterrupted { mailbox.post(.reachabilityChanged) }
                isInterrupted = false
            } catch is CancellationError { break } catch {
                if !isInterrupted { backend.logger.debug("cannot look at the bell", metadata: ["why": "\(error)"]) }
                isInterrupted = true
                // The announced changes may not have been checked.
                etag = nil
            }
            await nap.sleep(for: schedule.pause(at: elapsed()), backend.clock)
            if nap.takeChange() { schedule.change(at: elapsed()) }
        }
        backend.removeListener(listener)
    }

    private mutating func look() async throws {
        guard ends != nil else { return try await begin() }
        let isRung = try await readBell()
        let now = elapsed()
        if isRung { schedule.change(at: now) }
        let isPatrol = schedule.patrolIsDue(at: now)
        var hasFound = false
        if isRung || isPatrol { hasFound = try await lookAtLogs() }
        if schedule.listingIsDue(isHinted: isRung && !hasFound, isActive: isRung, at: now) {
            try await listContainers()
        }
    }

    /// The first check. Changes since the stream's start are unknown, so it reports everything.
    private mutating func begin() async throws {
        _ = try await readBell()
        ends = [:]
        do { try await listContainers() } catch {
            ends = nil
            throw error
        }
        mailbox.post(.containersChanged)
        schedule.looked(at: elapsed())
    }

    /// - Returns: Whether the bell was rung since the last check.
    private mutating func readBell() async throws -> Bool {
        switch try await backend.client.get(backend.layout.bell, unless: etag, limit: 4096) {
        case .unchanged, .missing: return false
        case .object(let object):
            defer { etag = object.etag }
            return true
        }
    }

    /// - Returns: Whether any log has grown.
    private mutating func lookAtLogs() async throws -> Bool {
        var hasFound = false
        for (container, seen) in ends ?? [:] {
            var end = seen
            while end - seen < Self.steps, try await exists(end + 1, in: container) { end += 1 }
            // After a long sleep, a device searches for the end instead of querying every number.
            if end == seen + Self.steps { end = try await backend.findEnd(of: container, from: end) }
            guard end != seen else { continue }
            ends?[container] = end
            mailbox.post(.containerChanged(container))
            hasFound = true
        }
        return hasFound
    }

    private static let steps: UInt64 = 8

    private func exists(_ number: UInt64, in container: ContainerName) async throws -> Bool {
        guard number <= S3Layout.maximumEntry else { return false }
        return try await backend.client.size(backend.layout.entry(container, number)) != nil
    }

    private mutating func listContainers() async throws {
        for container in try await backend.listContainers() where ends?[container] == nil {
            ends?[container] = try await backend.findEnd(of: container, from: backend.known(container).end ?? 0)
            mailbox.post(.containersChanged)
            mailbox.post(.containerChanged(container))
        }
    }
}

/// A pause cut short by a change.
private final class Nap: Sendable {
    private struct State {
        var sleep: Task<Void, Never>?
        var hasChanged = false
    }

    private let state = Mutex(State())

    func sleep(for pause: Duration, _ clock: any Clock<Duration>) async {
        // Only a cancellation cuts the pause short, as intended.
        let sleep = Task { _ = try? await clock.sleep(for: pause) }
        let isOver = state.withLock { state in
            state.sleep = sleep
            return state.hasChanged
        }
        if isOver { sleep.cancel() }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }

    func end(becauseOfChange: Bool) {
        let sleep = state.withLock { state in
            state.hasChanged = state.hasChanged || becauseOfChange
            return state.sleep
        }
        sleep?.cancel()
    }

    func takeChange() -> Bool {
        state.withLock { state in
            defer { state.hasChanged = false }
            return state.hasChanged
        }
    }
}
