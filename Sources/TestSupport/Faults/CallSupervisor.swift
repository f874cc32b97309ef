import CFaults
import Foundation
import Glibc
import Synchronization

/// Decides whether each system call of a process proceeds, waits, fails or kills the process. Calls are counted over
/// all threads, so "the N-th call" is one point of the process's execution. (strace(1) counts per thread.)
package final class CallSupervisor: Sendable {
    /// The process, which has not executed its program when this is created.
    package let process: Int32
    private let listener: Int32
    private let plan = Mutex<FaultPlan?>(nil)
    /// The calls held until the plan ends.
    private let held = Mutex<[UInt64]>([])

    /// Attaches to the process whose id ``Launch`` wrote to the file `meeting`; nil while there is no id yet.
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

    /// Starts to count calls and to inject the planned fault.
    package func begin(_ plan: FaultPlan) { self.plan.withLock { $0 = plan } }

    /// Stops counting and injecting, and releases the held calls.
    ///
    /// - Returns: The plan with its count and the first call struck; nil without a plan.
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
        for call in calls { _ = faults_respond(listener, call, 0) }
    }

    package var struck: ObservedCall? { plan.withLock { $0?.struck } }

    private func serve() {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        // The listener hangs up when the last process under the filter has ended.
        while poll(&waiting, 1, -1) >= 0 || errno == EINTR {
            if waiting.revents & Int16(POLLIN) != 0 { respondNext() } else if waiting.revents != 0 { return }
        }
    }

    private func respondNext() {
        var notification = seccomp_notif()
        // The process may have died meanwhile; its call needs no response.
        guard faults_receive(listener, &notification) == 0 else { return }
        switch verdict(notification) {
        case .goOn: _ = faults_respond(listener, notification.id, 0)
        case .fail(let number): _ = faults_respond(listener, notification.id, number)
        case .kill: kill(process, SIGKILL)
        case .hold:
            held.withLock { $0.append(notification.id) }
            // The plan may have ended between the verdict and the line above.
            if plan.withLock({ $0 == nil }) { release() }
        }
    }

    private func verdict(_ notification: seccomp_notif) -> FaultPlan.Verdict {
        // Without a plan the call's target need not be looked up.
        guard plan.withLock({ $0 != nil }), let call = ObservedCall(notification) else { return .goOn }
        return plan.withLock { $0?.decide(call) ?? .goOn }
    }
}
