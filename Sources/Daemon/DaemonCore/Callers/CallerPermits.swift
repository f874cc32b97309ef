package import Logging
import Synchronization
package import VirtualFileSystem

/// Applies ``HydrationPolicy`` to programs opening documents, and remembers its verdicts for a short time. Programs
/// without a rule are watched by ``DownloadBreaker``.
package final class CallerPermits: DownloadPermits {
    /// A verdict is for a program in its current state: a new program under the same number, or a changed class, is
    /// looked up again.
    private struct Caller: Hashable {
        let stat: ProcessStat
        let hasIdleIO: Bool
    }

    private struct Known {
        let permit: DownloadPermit
        let until: ContinuousClock.Instant
    }

    /// How long a verdict is used, and thus the delay until changed settings or a process's move to another control
    /// group are noticed.
    package static let lifetime = Duration.seconds(10)
    /// The maximum number of remembered verdicts.
    package static let maximumCount = 512

    private let processes: any ProcessSource
    private let refused: RefusedPrograms
    private let policy: @Sendable () -> HydrationPolicy
    private let now: @Sendable () -> ContinuousClock.Instant
    private let log: Logger
    private let known = Mutex<[Caller: Known]>([:])

    /// - Parameter policy: Returns the policy by the current settings.
    package init(
        _ processes: any ProcessSource, refused: RefusedPrograms = RefusedPrograms(), log: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        policy: @escaping @Sendable () -> HydrationPolicy
    ) {
        self.processes = processes
        self.refused = refused
        self.policy = policy
        self.now = now
        self.log = log
    }

    /// The number of remembered verdicts.
    package var count: Int { known.withLock { $0.count } }

    package func known(_ thread: Int32) -> DownloadPermit? {
        guard let caller = caller(thread) else { return ofNoProcess }
        return remembered(caller).map(broken)
    }

    package func lookUp(_ thread: Int32) -> DownloadPermit {
        guard let caller = caller(thread) else { return ofNoProcess }
        // A concurrent open of the program may have looked it up while this one waited.
        if let known = remembered(caller) { return broken(known) }
        let facts = processes.facts(of: caller.stat, hasIdleIO: caller.hasIdleIO)
        let verdict = policy().verdict(for: facts)
        let permit = DownloadPermit(
            verdict.allowance, program: facts.program.family, isWatched: HydrationPolicy.isWatched(facts, verdict),
            looks: LookStyle(facts, verdict))
        note(verdict, facts, thread)
        let now = now()
        known.withLock { known in
            if known.count >= Self.maximumCount { known = known.filter { now < $0.value.until } }
            // Only a machine running this many readers within the lifetime gets here; they are looked up again.
            if known.count >= Self.maximumCount { known = [:] }
            known[caller] = Known(permit: permit, until: now + Self.lifetime)
        }
        return broken(permit)
    }

    package func closed(_ reading: DownloadBreaker.Reading, by program: String) {
        guard refused.closed(reading, by: program) else { return }
        let minutes = Int(DownloadBreaker.pause / .seconds(60))
        log.warning(
            """
            a program without a terminal looked into more than \(DownloadBreaker.maximumLooks) documents that are not on this device; it \
            may not download any for \(minutes) minutes (`ubiquity downloads --allow PROGRAM` ends that)
            """, metadata: ["program": "\(program)"])
    }

    private var ofNoProcess: DownloadPermit { DownloadPermit(policy().verdict(for: nil).allowance) }

    /// Returns the permit as it is while the breaker may have tripped.
    private func broken(_ permit: DownloadPermit) -> DownloadPermit {
        guard permit.isWatched, let program = permit.program, !refused.permits(program) else { return permit }
        return DownloadPermit(.deny, program: program)
    }

    private func caller(_ thread: Int32) -> Caller? {
        guard thread > 0, let stat = processes.stat(of: thread) else { return nil }
        return Caller(stat: stat, hasIdleIO: processes.hasIdleIO(thread))
    }

    private func remembered(_ caller: Caller) -> DownloadPermit? {
        let now = now()
        return known.withLock { $0[caller] }.flatMap { now < $0.until ? $0.permit : nil }
    }

    /// Logs a program's refused downloads, once for each lookup: the program sees only an error number.
    private func note(_ verdict: HydrationPolicy.Verdict, _ facts: ProcessFacts, _ thread: Int32) {
        guard verdict.allowance != .full else { return }
        log.info(
            "a program may not download everything that it opens",
            metadata: [
                "program": "\(facts.program.path ?? facts.program.name)", "pid": "\(thread)",
                "allowance": "\(verdict.allowance)", "reason": "\(verdict.reason)",
            ])
    }
}
