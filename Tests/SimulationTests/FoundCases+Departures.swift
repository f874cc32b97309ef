import DeviceSupport
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of deletions that the log interprets differently from what they meant.
extension FoundCases {
    @Test("a deletion of a document that has become another one elsewhere is sent once, and is then settled")
    func deletionOfAlias() throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        let devices = try (0..<3).map {
            try SimulatedDevice(number: $0, seed: 3, skew: .zero, cloud: cloud, shared: shared)
        }
        let users = devices.map { UserActions(device: $0) }
        var ledger = Ledger()
        try users[0].save("a", in: devices[0].root, "1", &ledger)
        try users[0].save("b", in: devices[0].root, "22", &ledger)
        let sync = { (device: SimulatedDevice) in
            device.time.advance(by: .seconds(1))
            try device.syncFully()
        }
        for device in devices + devices { try sync(device) }
        // One device moves the second document over the first, and another one gives the first the same bytes. Both documents then become
        // one.
        try devices[0].files.rename(
            Array("b".utf8), in: devices[0].root, to: Array("a".utf8), in: devices[0].root, mode: .replace)
        let first = try #require(try users[1].item("a", in: devices[1].root))
        _ = try users[1].overwrite(first, "22", truncate: true, &ledger)
        _ = try users[2].unlink(#require(try users[2].item("a", in: devices[2].root)), &ledger)
        for device in devices + devices + devices { try sync(device) }
        for device in devices {
            #expect(try device.unrest().isEmpty)
            #expect(try text(of: "a", on: device) == "22")
        }
        for device in devices { try device.end() }
    }
}

private func text(of name: String, on device: SimulatedDevice) throws -> String? {
    let user = UserActions(device: device)
    return try user.content(of: user.item(name, in: device.root))
}
