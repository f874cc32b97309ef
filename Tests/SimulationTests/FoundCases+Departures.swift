import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of deletions misinterpreted by the log, or missing from it.
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
        // One device moves the second document over the first, and another device gives the first the same bytes. Both
        // documents then merge.
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

    /// The folder was touched on the two devices at different times, so the device that kept it also has a new time of
    /// it to send.
    @Test(
        "a folder that was kept on a device, and restored in the log by another one, is deleted on all when it is deleted"
    )
    func deletionOfRestoredFolder() throws {
        try withDevices(3) { devices, users in
            var ledger = Ledger()
            try users[0].makeFolder("f")
            for name in ["b", "c"] { try users[0].save(name, in: users[0].item(at: "f").node, "1", &ledger) }
            try restAll(devices)
            // One device deletes the folder and takes its name. The two others change documents in it.
            _ = try users[2].sweep(users[2].item(at: "f"), &ledger)
            try users[2].save("f", in: devices[2].root, "file", &ledger)
            devices[1].time.advance(by: .seconds(9))
            try users[1].save("b", in: users[1].item(at: "f").node, "22", &ledger)
            try users[1].save("new", in: users[1].item(at: "f").node, "333", &ledger)
            try users[0].save("c", in: users[0].item(at: "f").node, "4444", &ledger)
            for device in [devices[2], devices[1]] { try sync(device) }
            while try devices[0].fold() {}
            _ = try users[0].sweep(users[0].item(at: "f 2"), &ledger)
            try restAll(devices)
            for user in users { #expect(try user.item("f 2", in: user.device.root) == nil) }
        }
    }

    @Test("a folder is deleted together with a document in conflict and all of the document's versions")
    func deletionOfConflict() throws {
        try withDevices(2) { devices, users in
            var ledger = Ledger()
            try users[0].makeFolder("f")
            try users[0].save("b", in: users[0].item(at: "f").node, "1", &ledger)
            try restAll(devices)
            for (user, text) in zip(users, ["22", "333"]) {
                try user.save("b", in: user.item(at: "f").node, text, &ledger)
            }
            try restAll(devices)
            #expect(try users[0].names(in: "f").count == 2)
            _ = try users[0].sweep(users[0].item(at: "f"), &ledger)
            try restAll(devices)
            for user in users { #expect(try user.item("f", in: user.device.root) == nil) }
        }
    }
}

private func text(of name: String, on device: SimulatedDevice) throws -> String? {
    let user = UserActions(device: device)
    return try user.content(of: user.item(name, in: device.root))
}
