import CFaults
import Foundation
import Glibc
import Synchronization

/// Decides, call by call, what becomes of the system calls of one process: they are counted over all its threads, so that "the
/// N-th call" is one point of its life. (strace(1) counts for each thread.)
package final class CallSupervisor: Sendable {
    /// The process; it has begun nothing yet.
    package let process: Int32
    private let listener: Int32
    private let plan = Mutex<FaultPlan?>(nil)
    /// The calls that wait for the end of the plan.
    private let held = Mutex<[UInt64]>([])

    /// Takes over the process that ``Launch`` names at `meeting`; nil as long as it is not that far.
    package init?(meeting: String) {
        guard let text = try? String(contentsOfFile: meeting, encoding: .utf8), let process = Int32(text) else {
            return nil
        }
        let taken = faults_take(process, Launch.listener)
        guard taken >= 0 else { return nil }
        self.process = process
        listener = taken
        guard creat("\(meeting).met", 0o600) >= 0 else { return nil }
        Thread.detachNewThread { self.serve() }
    }

    deinit { close(listener) }

    /// Counts from here on, and lets happen what is planned.
    package func begin(_ plan: FaultPlan) { self.plan.withLock { $0 = plan } }

    /// Nothing is counted or done from here on. Answers what came of the plan.
    @discardableResult
    package func end() -> FaultPlan? {
        let ended = plan.withLock { plan in
            defer { plan = nil }
            return plan
        }
        release()
        return ended
    }

    private func release() {
        let calls = held.withLock { held in
            defer { held = [] }
            return held
        }
        for call in calls { _ = faults_answer(listener, call, 0) }
    }

    package var struck: ObservedCall? { plan.withLock { $0?.struck } }

    private func serve() {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        // The other end goes away with the last process that the filter applies to.
        while poll(&waiting, 1, -1) >= 0 || errno == EINTR {
            if waiting.revents & Int16(POLLIN) != 0 { answerNext() } else if waiting.revents != 0 { return }
        }
    }

    private func answerNext() {
        var notification = seccomp_notif()
        // A process that has died meanwhile waits for nothing.
        guard faults_receive(listener, &notification) == 0 else { return }
        switch verdict(notification) {
        case .goOn: _ = faults_answer(listener, notification.id, 0)
        case .fail(let number): _ = faults_answer(listener, notification.id, number)
        case .kill: kill(process, SIGKILL)
        case .hold:
            held.withLock { $0.append(notification.id) }
            // The plan may have ended between the verdict and the note of it.
            if plan.withLock({ $0 == nil }) { release() }
        }
    }

    private func verdict(_ notification: seccomp_notif) -> FaultPlan.Verdict {
        // Without a plan nobody needs to know what the call is about.
        guard plan.withLock({ $0 != nil }), let call = ObservedCall(notification) else { return .goOn }
        return plan.withLock { $0?.decide(call) ?? .goOn }
    }
}
