import Chunking

// MARK: Outcomes of fetches

extension FetchPlan {
    /// Notes that the manifest arrived. `present` holds the chunks fetched by an earlier run.
    mutating func manifestArrived(_ manifest: Manifest, present: PresenceBitmap, now: Duration) -> [Action] {
        inFlight[.manifest] = nil
        guard self.manifest == nil else { return schedule(now: now) }
        self.manifest = manifest
        self.present = present
        presentBytes = present.presentCount == 0 ? 0 : presentSize(manifest, present)
        backOff.succeeded()
        lastFailure = nil
        for index in waiters.indices {
            locate(&waiters[index])
            waiters[index].lastProgress = now
        }
        if let first = waiters.first(where: { $0.priority == .demand }) {
            readAhead.read(first.chunks, of: manifest.chunks.count)
        }
        if let hint { readAhead.prefetch(manifest.indices(covering: hint)) }
        return succeedSatisfied() + schedule(now: now)
    }

    /// Notes that the chunk's bytes are verified and written.
    mutating func arrived(_ index: Int, now: Duration) -> [Action] {
        inFlight[.chunk(index)] = nil
        suspects.remove(.chunk(index))
        backOff.succeeded()
        lastFailure = nil
        if present.insert(index), let manifest { presentBytes += UInt64(manifest.chunks[index].length) }
        for position in waiters.indices where waiters[position].chunks.contains(index) {
            waiters[position].absent -= 1
            waiters[position].lastProgress = now
        }
        return succeedSatisfied() + schedule(now: now)
    }

    mutating func failed(_ target: Target, _ error: TransferError, now: Duration, jitter: Double) -> [Action] {
        release(target)
        // No reader waits for these; retrying them would never end.
        readAhead.stop()
        hint = nil
        if error.isTransient {
            lastFailure = error
            backOff.failed(now: now, jitter: jitter)
            return []
        }
        if error.code == .damaged, suspects.insert(target).inserted { return schedule(now: now) }
        suspects.remove(target)
        return fail(error) { target == .manifest || $0.chunks.contains(target) } + schedule(now: now)
    }

    /// Notes that a cancelled fetch ended without an outcome.
    mutating func abandoned(_ target: Target, now: Duration) -> [Action] {
        release(target)
        return schedule(now: now)
    }

    /// Ends waits with expired patience, and starts fetches held back by a pause.
    mutating func tick(now: Duration) -> [Action] {
        let error = patienceError
        let failures = fail(error) { $0.isLate(now) }
        // No waiter is left to notice a hanging fetch.
        if !failures.isEmpty, waiters.isEmpty { return failures + cancelAll() }
        return failures + schedule(now: now)
    }

    /// Retries immediately, as the cloud is reported to be back.
    mutating func retryNow(now: Duration) -> [Action] {
        backOff.resume()
        return schedule(now: now)
    }

    private var patienceError: TransferError {
        if let lastFailure, lastFailure.code == .offline { return lastFailure }
        return TransferError(
            .stalled, "The cloud does not respond. The download continues when it does.", cause: lastFailure)
    }

    /// Marks the target as absent and idle, so that it may be fetched again.
    private mutating func release(_ target: Target) {
        inFlight[target] = nil
        guard case .chunk(let index) = target else { return }
        for position in waiters.indices where waiters[position].chunks.contains(index) {
            waiters[position].cursor = min(waiters[position].cursor, index)
        }
    }

    private mutating func fail(_ error: TransferError, where matches: (Waiter) -> Bool) -> [Action] {
        let failures = waiters.filter(matches).map { Action.fail($0.id, error) }
        waiters.removeAll(where: matches)
        return failures
    }

    private mutating func succeedSatisfied() -> [Action] {
        let satisfied = waiters.filter { $0.absent == 0 }.map { Action.succeed($0.id) }
        if !satisfied.isEmpty { waiters.removeAll { $0.absent == 0 } }
        return satisfied
    }

    private func presentSize(_ manifest: Manifest, _ present: PresenceBitmap) -> UInt64 {
        manifest.chunks.indices.reduce(0) { present[$1] ? $0 + UInt64(manifest.chunks[$1].length) : $0 }
    }
}

extension Range<Int> {
    fileprivate func contains(_ target: FetchPlan.Target) -> Bool {
        if case .chunk(let index) = target { contains(index) } else { false }
    }
}
