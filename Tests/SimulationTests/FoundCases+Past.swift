import CloudModel
import DeviceSupport
import Foundation
import LocalMetadata
import Sync
import Testing
import VirtualFileSystem

@testable import Simulation

/// Returning states and clouds.
extension FoundCases {
    private func text(_ name: String, of device: SimulatedDevice) throws -> String? {
        try UserActions(device: device).items { $0.name.description == name && $0.kind == .file }.first.map(device.text)
    }

    private func save(_ name: String, _ text: String, on device: SimulatedDevice) throws {
        var ledger = Ledger()
        try UserActions(device: device).save(name, in: documents(of: device), text, &ledger)
    }

    private func documents(of device: SimulatedDevice) throws -> NodeID {
        try #require(try UserActions(device: device).items { $0.item == .documents }.first).node
    }

    private func copy(_ device: SimulatedDevice) throws -> StateCopy {
        var copy = StateCopy()
        for part in StateCopy.Part.allCases { try copy.add(part, of: device.disk.directory) }
        return copy
    }

    @Test(
        "a reset after the cloud went back keeps a document of which the cloud only has another one with the same bytes"
    )
    func copiesAfterReset() throws {
        try withDevices(2) { devices, _ in
            try save("a.txt", "same", on: devices[0])
            try restAll(devices)
            let cloud = devices[0].cloud
            let former = cloud.copy()
            try save("b.txt", "same", on: devices[0])
            try restAll(devices)
            cloud.putBack(former)
            for device in devices {
                try sync(device)
                #expect(try device.isDiverged())
            }
            try devices[0].reset()
            try restAll([devices[0]])
            try devices[1].reset()
            try save("a.txt", "new", on: devices[0])
            try restAll(devices)
            for device in devices {
                #expect(try text("a.txt", of: device) == "new")
                #expect(try text("b.txt", of: device) == "same")
            }
        }
    }

    @Test("an item that is excluded before it is sent is another one than the item that a copy of the device sent")
    func excludedAfterCopy() throws {
        try withDevices(1) { devices, _ in
            let device = devices[0]
            try save("a.txt", "text", on: device)
            let other = try SimulatedDevice(
                number: 1, seed: 1, skew: .zero, cloud: device.cloud, shared: device.shared, from: copy(device))
            let row = try #require(try UserActions(device: device).items { $0.name.description == "a.txt" }.first)
            try device.files.rename(
                row.name.bytes, in: row.parent, to: Array("a.tmp".utf8), in: row.parent, mode: .replace)
            try sync(other)
            try restAll([device, other])
            #expect(try text("a.tmp", of: device) == "text")
            #expect(try text("a.txt", of: device) == "text")
            #expect(try text("a.txt", of: other) == "text")
            try other.end()
        }
    }

    @Test("a state that comes back takes another id, and undoes nothing of what it sent since")
    func oldState() throws {
        try withDevices(2) { devices, _ in
            try save("a.txt", "first", on: devices[0])
            try restAll(devices)
            let old = try copy(devices[0])
            let id = devices[0].context.device
            try save("a.txt", "second", on: devices[0])
            try restAll(devices)
            try devices[0].putBack(old)
            try restAll(devices)
            #expect(devices[0].context.device != id)
            for device in devices { #expect(try text("a.txt", of: device) == "second") }
        }
    }
}
