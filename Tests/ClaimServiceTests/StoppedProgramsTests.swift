import Coordination
import DeviceSupport
import LocalMetadata
import Logging
import Sync
import TestSupport
import Testing

@testable import ClaimService

@Suite("Programs that are stopped")
struct StoppedProgramsTests {
    @Test(
        "no timer runs while no program has a claim or a presenter; afterwards one second passes before they are looked at"
    )
    func rest() async throws {
        let (device, clock) = (try KernellessDevice(), ManualClock())
        let claims = ClaimService(
            device.metadata, maximumClaims: 16, log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        let watch = Task { await claims.watchStoppedPrograms(clock: clock) }
        await clock.untilSleeping(before: .seconds(3_600))
        #expect(!clock.isSleeping(before: .seconds(3_599)))
        claims.watched.ring()
        await clock.untilSleeping(before: .seconds(1))
        watch.cancel()
        await watch.value
    }
}
