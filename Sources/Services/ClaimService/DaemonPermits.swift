import Coordination
package import LocalMetadata
package import Sync
import VirtualFileSystem

/// The engine's permits: the daemon takes part in coordination like a program. It uploads and swaps in versions under a
/// permit, and requests one before it evicts bytes.
package struct DaemonPermits: EnginePermits {
    private let claims: ClaimService

    package init(_ claims: ClaimService) { self.claims = claims }

    package var areFree: Bool { claims.clients.isEmpty && claims.clients.deliveries.isEmpty }

    package func noteDeferral() { claims.noteDeferral() }

    package func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit {
        let id = claims.arbiter.reserve()
        let permit = PlainPermit { [claims] in claims.arbiter.cancel(id, of: ClientID.daemon) }
        claims.arbiter.open(id, request(id, access, node)) { [claims] in permit.finish(Self.outcome($0, id, claims)) }
        switch permit.outcome {
        case .granted(let end): return .now(end: end)
        case .timedOut, .cancelled: return .refused
        case nil: break
        }
        guard access.mayWait else {
            // The grant is decided, but its delivery waits for the thread delivering earlier outcomes.
            if claims.arbiter.isGranted(id) { return .now(end: { permit.cancel() }) }
            permit.cancel()
            return .refused
        }
        return .later { await permit.ended() }
    }

    private func request(_ id: ClaimID, _ access: EngineAccess, _ node: NodeID) -> ClaimRequest {
        ClaimRequest(
            client: ClientID.daemon, purpose: access.mayWait ? .coordinator(ClientID.daemon, id.value) : .plain,
            accesses: [Access(.item(ItemNumber(node)), access.mode)], patience: access.patience)
    }

    private static func outcome(
        _ result: Result<[ItemKey], ClaimError>, _ id: ClaimID, _ claims: ClaimService
    ) -> PermitOutcome {
        guard case .success = result else { return .timedOut }
        return .granted(end: {
            claims.arbiter.finish(id, of: .daemon)
            claims.claimEnded()
        })
    }
}

extension EngineAccess {
    fileprivate var mode: Access.Mode {
        switch self {
        case .upload: .reading([])
        // Programs' unsaved changes would later overwrite the new version, as if they were based on it.
        case .swap: .writing(.merging)
        case .follow: .writing(nil)
        case .send: .reading(.withoutChanges)
        case .evict: .evicting
        }
    }

    fileprivate var mayWait: Bool {
        switch self {
        case .follow, .send: false
        case .upload, .swap, .evict: true
        }
    }

    /// Longer than the arbiter waits for a silent presenter or a frozen holder. A live holder keeping its claim only
    /// delays its own document; the engine's next round requests the permit again.
    fileprivate var patience: Duration { .seconds(60) }
}

extension PlainPermit {
    /// Waits for the permit; returns nil if it is not granted in time, or if the task is cancelled first.
    func ended() async -> PermitRelease? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenDecided { outcome in
                    if case .granted(let end) = outcome {
                        continuation.resume(returning: end)
                    } else {
                        continuation.resume(returning: nil)
                    }
                }
            }
        } onCancel: {
            callOff()
        }
    }
}
