package import Logging
import Synchronization
package import VirtualFileSystem

/// Applies ``HydrationPolicy`` to the programs that open documents, and remembers its verdicts for a short time.
package final class CallerPermits: DownloadPermits {
    /// A verdict is for one program in one state: another program under the same number, or a changed class, is looked up again.
    private struct Caller: Hashable {
        let stat: ProcessStat
        let hasIdleIO: Bool
    }

    private struct Known {
        let verdict: HydrationPolicy.Verdict
        let until: ContinuousClock.Instant
    }

    /// How long a verdict is used: a process that moves to another control group, or changed settings, are noticed after this time.
    package static let lifetime = Duration.seconds(10)
    /// The number of verdicts that are remembered.
    package static let maximumCount = 512

    private let processes: any ProcessSource
    private let policy: @Sendable () -> HydrationPolicy
    private let now: @Sendable () -> ContinuousClock.Instant
    private let log: Logger
    private let known = Mutex<[Caller: Known]>([:])

    /// - Parameter policy: Returns the policy by the present settings.
    package init(
        _ processes: any ProcessSource, log: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        policy: @escaping @Sendable () -> HydrationPolicy
    ) {
        self.processes = processes
        self.policy = policy
        self.now = now
        self.log = log
    }

    /// The number of remembered verdicts.
    package var count: Int { known.withLock { $0.count } }

    package func known(_ thread: Int32) -> DownloadAllowance? {
        guard let caller = caller(thread) else { return policy().verdict(for: nil).allowance }
        return remembered(caller)
    }

    package func lookUp(_ thread: Int32) -> DownloadAllowance {
        guard let caller = caller(thread) else { return policy().verdict(for: nil).allowance }
        // Another open of the program may have looked it up while this one waited.
        if let known = remembered(caller) { return known }
        let facts = processes.facts(of: caller.stat, hasIdleIO: caller.hasIdleIO)
        let verdict = policy().verdict(for: facts)
        note(verdict, facts, thread)
        let now = now()
        known.withLock { known in
            if known.count >= Self.maximumCount { known = known.filter { now < $0.value.until } }
            // Only a machine that runs this many readers within the lifetime gets here; they are looked up again.
            if known.count >= Self.maximumCount { known = [:] }
            known[caller] = Known(verdict: verdict, until: now + Self.lifetime)
        }
        return verdict.allowance
    }

    private func caller(_ thread: Int32) -> Caller? {
        guard thread > 0, let stat = processes.stat(of: thread) else { return nil }
        return Caller(stat: stat, hasIdleIO: processes.hasIdleIO(thread))
    }

    private func remembered(_ caller: Caller) -> DownloadAllowance? {
        let now = now()
        return known.withLock { $0[caller] }.flatMap { now < $0.until ? $0.verdict.allowance : nil }
    }

    /// Logs what a program may not download, once for each lookup: the program sees only an error number.
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
