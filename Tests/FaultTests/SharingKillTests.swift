import Faults
import Foundation
import TestSupport
import Testing

extension FaultSuite {
    /// The process for shared files dies instead of making its N-th system call.
    @Suite("A crash while a file begins or ends to be shared")
    struct SharingKillTests {
        @Test(
            "whichever call the process dies at, the file is plain or shared as a whole, and the repeated command completes",
            arguments: SharingCommand.allCases)
        func dies(_ command: SharingCommand) async throws {
            try await TestDevices.with(devices: []) { test in
                let binaries = try TestDevices.binaries()
                let undisturbed = try await SharingTrial(command, root: "\(test.root)/0", binaries: binaries)
                let calls = try await undisturbed.run(killAt: nil).calls
                #expect(calls > 0, "the command makes no calls: nothing is tried")
                try await undisturbed.expectDone("\(command), undisturbed")
                var deaths = 0
                for point in Extent.points(calls, share: 8) {
                    let trial = try await SharingTrial(command, root: "\(test.root)/\(point)", binaries: binaries)
                    guard let struck = try await trial.run(killAt: point).struck else { continue }
                    deaths += 1
                    let when = "\(command), dead at call \(point), \(struck)"
                    try await trial.expectWhole(when)
                    try await trial.expectDone(when)
                }
                print("\(command): \(calls) calls, \(deaths) deaths")
                #expect(deaths > 0, "no process died")
            }
        }
    }
}
