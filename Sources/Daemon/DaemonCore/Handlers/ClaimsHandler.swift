import Coordination
import DaemonProtocol

extension DaemonService {
    /// Who holds what and who waits for whom, as it is now.
    func claims() async throws -> ClaimsResponse {
        try await blocking { [self] in
            let held = device.claims.snapshot.items.filter { !$0.claims.isEmpty }
            return ClaimsResponse(
                items: try held.map { item in
                    ClaimedItem(path: try path(of: item.key), claims: item.claims.compactMap(status))
                })
        }
    }

    /// Nil for a claim that has ended since.
    private func status(_ claim: ClaimSnapshot.HeldBy) -> ClaimStatus? {
        guard let holder = device.claims.ledger.holder(of: claim.id) else { return nil }
        return ClaimStatus(
            claim: claim.id.value, program: holder.program, pid: holder.processID, mode: .init(claim.mode),
            stage: .init(claim.stage), seconds: claim.age / .seconds(1),
            waitsFor: claim.waitsForClaims.map(\.value), isStopped: claim.isClientFrozen)
    }
}

extension AccessMode {
    fileprivate init(_ mode: Access.Mode) {
        if case .reading = mode { self = .read } else { self = .write }
    }
}

extension ClaimStatus.Stage {
    fileprivate init(_ stage: ClaimSnapshot.Stage) {
        self =
            switch stage {
            case .waiting: .waiting
            case .asking: .asking
            case .granted: .granted
            }
    }
}
