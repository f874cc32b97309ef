import Coordination
import LocalMetadata
import Mount
import Sync

/// The daemon as one more participant: it uploads and swaps in versions in its turn, and asks before it drops bytes.
struct DaemonPermits: EnginePermits {
    private let desk: ClaimService
    /// No program is the daemon's client; connections have numbers from 1 on.
    static let client = ClientID(0)

    init(_ desk: ClaimService) { self.desk = desk }

    var areFree: Bool { desk.ledger.isEmpty && desk.ledger.letters.isEmpty }

    func noteDeferral() { desk.noteDeferral() }

    func ask(_ access: EngineAccess, for node: NodeID) -> EnginePermit {
        let id = desk.arbiter.reserve()
        let turn = PlainPermit { [desk] in desk.arbiter.cancel(id, of: Self.client) }
        desk.arbiter.open(id, request(id, access, node)) { [desk] in turn.finish(Self.outcome($0, id, desk)) }
        switch turn.outcome {
        case .come(let end): return .now(end: end)
        case .late, .givenUp: return .refused
        case nil: break
        }
        guard access.mayWait else {
            turn.giveUp()
            return .refused
        }
        return .later { await turn.ended() }
    }

    private func request(_ id: ClaimID, _ access: EngineAccess, _ node: NodeID) -> ClaimRequest {
        ClaimRequest(
            client: Self.client, purpose: access.mayWait ? .coordinator(Self.client, id.value) : .plain,
            accesses: [Access(.item(ItemNumber(node)), access.mode)], patience: access.patience)
    }

    private static func outcome(
        _ result: Result<[ItemKey], ClaimError>, _ id: ClaimID, _ desk: ClaimService
    ) -> PermitOutcome {
        guard case .success = result else { return .late }
        return .come(end: {
            desk.arbiter.finish(id, of: client)
            desk.claimEnded()
        })
    }
}

extension EngineAccess {
    fileprivate var mode: Access.Mode {
        switch self {
        case .upload: .reading([])
        // What others have not saved would be written over the new version later, as if it had been seen.
        case .swap: .writing(.merging)
        case .follow: .writing(nil)
        case .tell: .reading(.withoutChanges)
        case .evict: .evicting
        }
    }

    fileprivate var mayWait: Bool {
        switch self {
        case .follow, .tell: false
        case .upload, .swap, .evict: true
        }
    }

    /// Longer than a silent presenter or a frozen holder is waited for. Who lives and holds on keeps its own document as it is; the
    /// next round of the engine asks again.
    fileprivate var patience: Duration { .seconds(60) }
}

extension PlainPermit {
    /// Waits for the turn; nil if it does not come, or the task is cancelled first.
    func ended() async -> PermitRelease? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenOver { outcome in
                    if case .come(let end) = outcome {
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
