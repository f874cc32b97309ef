import CloudModel
import ContainerLog
import DeviceSupport
import Foundation
import LocalMetadata
import Sync
import Testing
import VirtualFileSystem

@testable import Simulation

/// What random histories have found, each as short as it could be told.
@Suite("Cases that histories found")
struct FoundCases {
    private func withDevice(_ body: (SimulatedDevice, UserActions) throws -> Void) throws {
        let root = NSTemporaryDirectory() + "ubiquity-case-\(UUID().uuidString)"
        let device = try SimulatedDevice(
            number: 0, seed: 1, skew: .zero, cloud: SimulatedCloud(bug: nil), shared: SharedParts(), below: root)
        defer {
            try? device.crash()
            try? FileManager.default.removeItem(atPath: root)
        }
        try body(device, UserActions(device: device))
    }

    private func rest(_ device: SimulatedDevice) throws {
        device.time.advance(by: .seconds(1))
        for _ in 0..<3 { try History.syncFully(device) }
        #expect(try device.unrest().isEmpty)
    }

    @Test("an attribute that is set while a file is open to write, and not written, is told")
    func attributeOfOpenFile() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            let root = try device.container().node
            try user.save("a", in: root, "1", &ledger)
            try rest(device)
            let file = try #require(try user.item("a", in: root))
            let handle = try device.files.open(file.node, canWrite: true, truncate: false)
            try device.files.setExtendedAttribute("user.x", to: [1], of: file.node, mode: .any)
            device.files.release(handle)
            try rest(device)
            let told = try device.metadata.read { try $0.remote(file.item, in: file.container) }
            #expect(told?.attributes.extended == ["user.x": [1]])
        }
    }

    @Test("what was done before the clock was set back by a day is told at once")
    func clockSetBack() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            let root = try device.container().node
            try user.save("a", in: root, "1", &ledger)
            device.time.advance(by: .seconds(-86_400))
            try rest(device)
            #expect(device.cloud.log.count == 1)
        }
    }
}
