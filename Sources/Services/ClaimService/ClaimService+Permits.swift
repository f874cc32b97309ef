import Basics
package import Coordination
import Glibc
package import LocalMetadata
import Synchronization
package import VirtualFileSystem

/// Permits for opens in the mount by programs not necessarily aware of coordination.
extension ClaimService: AccessPermits {
    /// How long an open waits: as long as a read waits while none of its bytes arrive.
    private static let patience = Patience.limit
    /// The client of all plain programs, so that they do not wait for each other.
    private static let plainPrograms = ClientID.daemon

    package var areFree: Bool { clients.isEmpty }

    package func requestOpen(of node: NodeID, isWriting: Bool, for thread: Int32) -> AccessPermit {
        let mode = isWriting ? Access.Mode.writing(nil) : .reading([])
        let request = ClaimRequest(
            client: Self.plainPrograms, purpose: .plain, accesses: [Access(.item(ItemNumber(node)), mode)],
            patience: Self.patience)
        let id = arbiter.reserve()
        let permit = PlainPermit { [arbiter] in arbiter.cancel(id, of: Self.plainPrograms) }
        openers.withLock { $0[id] = thread }
        arbiter.open(id, request) { [self] in
            openers.withLock { $0[id] = nil }
            permit.finish(Self.outcome($0, id, arbiter))
        }
        switch permit.outcome {
        case .granted(let end): return .now(end: end)
        case .timedOut, .cancelled: return .now(end: {})
        case nil: break
        }
        guard !holdsUpOthers(thread) else {
            permit.cancel()
            return .now(end: {})
        }
        return .later(permit)
    }

    /// Returns the display name and thread of a waiting plain program.
    package func opener(of claim: ClaimID) -> (program: String, pid: Int32)? {
        openers.withLock { $0[claim] }.map { ("open", $0) }
    }

    private static func outcome(
        _ result: Result<[ItemKey], ClaimError>, _ id: ClaimID, _ arbiter: Arbiter<ContinuousClock>
    ) -> PermitOutcome {
        switch result {
        case .success: .granted { arbiter.finish(id, of: Self.plainPrograms) }
        case .failure(let error) where error.code == .timedOut: .timedOut
        case .failure(let error) where error.code == .cancelled: .cancelled
        // The item is gone: the open itself reports that.
        case .failure: .granted(end: {})
        }
    }

    /// Returns whether another program may be waiting for this thread's program, because it or an ancestor is inside an
    /// accessor or has a question to answer. It is then let through, since it might otherwise wait for itself.
    private func holdsUpOthers(_ thread: Int32) -> Bool {
        let busy = Set(clients.processes.filter { arbiter.isBusy($0.key) }.values)
        guard !busy.isEmpty else { return false }
        if let claim = ProcessFamily.surroundingClaim(of: thread), arbiter.isGranted(ClaimID(claim)) { return true }
        return ProcessFamily.ancestors(of: thread).contains(where: busy.contains)
    }
}

// MARK: Evictions

extension ClaimService {
    /// Waits until no program holds the item and all its presenters have relinquished its bytes. The caller has to call
    /// ``finishEviction(_:)``.
    package func claimToEvict(_ node: NodeID) async throws(ClaimError) -> ClaimID {
        let purpose = Purpose.coordinator(Self.plainPrograms, arbiter.reserve().value)
        return try await arbiter.claim(
            ClaimRequest(
                client: Self.plainPrograms, purpose: purpose, accesses: [Access(.item(ItemNumber(node)), .evicting)],
                patience: Self.patience)
        ).id
    }

    package func finishEviction(_ claim: ClaimID) { arbiter.finish(claim, of: Self.plainPrograms) }
}
