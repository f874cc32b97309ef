import ClaimService
import ControlServer
import Coordination
import DaemonProtocol
import Glibc
import LocalMetadata
import Sync

struct ClaimsHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on { (_: ClaimsRequest) in try await claims() }
    }

    /// Returns the current holders of items, and each claim's blockers.
    func claims() async throws -> ClaimsResponse {
        try await blocking { [self] in
            let items = device.claims.snapshot.items
            // There may be very many merely presented items, so their number is limited.
            let shown = items.filter { $0.claims.isEmpty && !$0.presenters.isEmpty }.prefix(500)
            let held = items.filter { !$0.claims.isEmpty } + shown
            // Transfers are listed before the database is read, since the list may read it too.
            let transfers = device.engine.transfers
            return ClaimsResponse(
                items: try held.map { item in
                    ClaimedItem(
                        path: try device.path(of: item.key), claims: item.claims.compactMap(status),
                        presenters: item.presenters.prefix(100).compactMap(status))
                },
                transfers: try device.metadata.read { transaction in
                    try transfers.prefix(100).map { try device.status($0, transaction) }
                })
        }
    }

    /// Returns nil if the presenter is gone by now.
    private func status(_ presenter: ClaimSnapshot.ShownBy) -> PresenterStatus? {
        guard let client = device.claims.client(of: presenter) else { return nil }
        return PresenterStatus(
            presenter: presenter.id.value, program: client.program, pid: client.processID,
            unanswered: presenter.unanswered, isSilent: presenter.isSilent)
    }

    /// Returns nil if the claim has ended by now.
    private func status(_ claim: ClaimSnapshot.HeldBy) -> ClaimStatus? {
        let holder = device.claims.holder(of: claim.id).map { ($0.program, $0.processID) }
        guard
            let (program, pid) = holder ?? device.claims.opener(of: claim.id)
                // A claim of the daemon itself: an upload, a version to be swapped in, an eviction.
                ?? (claim.client == ClientID.daemon ? ("ubiquityd", getpid()) : nil)
        else { return nil }
        return ClaimStatus(
            claim: claim.id.value, program: program, pid: pid, mode: .init(claim.mode),
            stage: .init(claim.stage), seconds: claim.age / .seconds(1),
            waitsFor: claim.waitsForClaims.map(\.value),
            waitsForPresenters: claim.waitsForPresenters.isEmpty ? nil : claim.waitsForPresenters.map(\.value),
            isStopped: claim.isClientFrozen)
    }
}

extension MountedDevice {
    func status(
        _ transfer: (item: LocalItem, isUpload: Bool, done: UInt64, total: UInt64), _ transaction: MetadataTransaction
    ) throws -> TransferStatus {
        TransferStatus(
            path: try path(of: transfer.item, transaction), direction: transfer.isUpload ? .upload : .download,
            completedBytes: transfer.done, totalBytes: transfer.total)
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
