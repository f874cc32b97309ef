import Coordination
import DeviceSupport
import LocalMetadata
import Logging
import Sync
import Synchronization
import Testing

@testable import ClaimService

@Suite("Permits of the engine")
struct DaemonPermitsTests {
    private let device: KernellessDevice
    private let claims: ClaimService
    private let permits: DaemonPermits
    private let first, second: ItemNumber

    init() throws {
        device = try KernellessDevice()
        claims = ClaimService(
            device.metadata, maximumClaims: 16, log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        permits = DaemonPermits(claims)
        first = ItemNumber(try device.save("first", "1"))
        second = ItemNumber(try device.save("second", "2"))
    }

    /// Requests access for another client, and calls `then` while its outcome is being delivered.
    private func open(_ item: ItemNumber, then: @escaping @Sendable () -> Void) {
        let client = ClientID(9)
        let request = ClaimRequest(
            client: client, purpose: .coordinator(client, 1), accesses: [Access(.item(item), .reading([]))],
            patience: .seconds(1))
        _ = claims.arbiter.open(request) { _ in then() }
    }

    // Outcomes are delivered by one thread at a time. The items of a log entry folded at such a moment counted as held,
    // and a package with local changes was merged file by file with a remote one.
    @Test("an item that no program holds is free even while the outcome of another claim is being delivered")
    func delivering() throws {
        let found = Mutex<[String: EnginePermit]>([:])
        open(first) { [permits, first, second] in
            found.withLock { found in
                found["held"] = permits.ask(.follow, for: first.node)
                found["free"] = permits.ask(.follow, for: second.node)
            }
        }
        let granted = found.withLock { $0 }
        guard case .refused = granted["held"], case .now(let end) = granted["free"] else {
            Issue.record("the permits are \(granted)")
            return
        }
        end()
        // The other client's claim is left.
        #expect(claims.snapshot.claimCount == 1)
    }

    @Test("a permit that ends while outcomes are being delivered holds nothing afterwards")
    func ended() throws {
        open(first) { [permits, second] in
            if case .now(let end) = permits.ask(.follow, for: second.node) { end() }
        }
        #expect(claims.snapshot.claimCount == 1)
        guard case .now(let end) = permits.ask(.follow, for: second.node) else {
            Issue.record("the item is still held")
            return
        }
        end()
    }
}
