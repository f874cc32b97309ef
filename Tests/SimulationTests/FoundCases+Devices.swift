import CloudModel
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Simulation

/// Several devices with a shared cloud.
extension FoundCases {
    func withDevices(_ count: Int, _ body: ([SimulatedDevice], [UserActions]) throws -> Void) throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        let devices = try (0..<count).map {
            try SimulatedDevice(number: $0, seed: 1, skew: .zero, cloud: cloud, shared: shared)
        }
        try body(devices, devices.map { UserActions(device: $0) })
        for device in devices { try device.end() }
    }

    func sync(_ device: SimulatedDevice) throws {
        device.time.advance(by: .seconds(1))
        try device.syncFully()
    }

    /// Syncs the devices until none of them has anything to send.
    func restAll(_ devices: [SimulatedDevice]) throws {
        for device in devices + devices + devices { try sync(device) }
        for device in devices { #expect(try device.unrest().isEmpty) }
    }
}

extension UserActions {
    func makeFolder(_ name: String) throws {
        _ = try device.files.makeFolder(Array(name.utf8), in: device.root, permissions: 0o755, caller: caller)
    }

    /// Renames an item of the container's folder, or moves it there.
    func rename(_ path: String, to name: String) throws {
        let old = try item(at: path)
        try device.files.rename(
            old.name.bytes, in: old.parent, to: Array(name.utf8), in: device.root, mode: .replace)
    }

    func item(at path: String) throws -> LocalItem {
        let names = path.split(separator: "/").map(String.init)
        var found = try #require(try item(names[0], in: device.root), "\(path) on \(device.name)")
        for name in names.dropFirst() {
            found = try #require(try item(name, in: found.node), "\(path) on \(device.name)")
        }
        return found
    }

    func names(in path: String) throws -> [String] {
        let folder = try item(at: path)
        return try device.metadata.read { try $0.local.children(of: folder.node, limit: 99) }
            .map(\.name.description).sorted()
    }
}
