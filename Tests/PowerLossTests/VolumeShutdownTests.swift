import Basics
import Foundation
import Glibc
import TestSupport
import Testing

extension PowerLoss {
    /// Checks a real daemon's state on a volume that is shut down while in use, as when its disk is unplugged.
    @Suite("Volumes that are shut down")
    struct VolumeShutdownTests {
        /// The number of cuts per run; twenty in `make powerloss`.
        private static let cuts = ProcessInfo.processInfo.environment["POWER_CUTS"].flatMap { Int($0) } ?? 2
        private static let files = 300

        @Test("files that were synced, and their folder with them, survive the shutdown")
        func synced() async throws {
            try await withVolume { volume in
                for cut in 1...Self.cuts {
                    try await volume.writeFiles(to: "cut\(cut)", count: Self.files, isSynced: true)
                    try await volume.cutPower()
                    let different = try await volume.differences(in: "cut\(cut)")
                    #expect(different.isEmpty, "cut \(cut): \(different)")
                }
                // Later cuts must not change files left by earlier cuts.
                for cut in 1...Self.cuts { #expect(try await volume.differences(in: "cut\(cut)").isEmpty) }
            }
        }

        @Test("files that were not synced are lost in the same shutdown, so the test can detect a loss")
        func control() async throws {
            try await withVolume { volume in
                try await volume.writeFiles(to: "unsynced", count: 50, isSynced: false)
                try await volume.cutPower()
                #expect(try await !volume.differences(in: "unsynced").isEmpty)
                // The surviving files must still work.
                try await volume.device.shell("mkdir -p unsynced && echo more > unsynced/1 && grep -q more unsynced/1")
            }
        }

        /// Runs `body` with a device that cannot reach its cloud, so that everything found after a cut was on the
        /// device's own disk.
        private func withVolume(_ body: (CutVolume) async throws -> Void) async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let device = test.devices[0]
                try await device.stop()
                try FileManager.default.removeItem(atPath: device.state)
                let volume = CutVolume(device: device, originals: try test.plain(), image: "\(test.root)/volume")
                try await volume.make()
                do {
                    // The device must learn of its cloud before the cloud goes offline: a new device would create one.
                    try await device.ubiquity(["sync", device.mount]).text()
                    try test.cloud.goOffline()
                    try await body(volume)
                } catch {
                    await volume.tearDown()
                    throw error
                }
                try await device.stop()
                await volume.tearDown()
                // The test leaves a running daemon, as it found it.
                try test.cloud.goOnline()
                try await device.start()
            }
        }
    }
}
