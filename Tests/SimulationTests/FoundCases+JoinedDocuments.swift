import DeviceSupport
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of documents merged with a second document in the log.
extension FoundCases {
    @Test(
        "an edit of a document that became one with another is kept, although the deletion of the other is being sent",
        arguments: [false, true])
    func editOfWhatJoinedADeletedDocument(isUploaded: Bool) throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        let devices = try (0..<3).map {
            try SimulatedDevice(number: $0, seed: 3, skew: .zero, cloud: cloud, shared: shared)
        }
        let users = devices.map { UserActions(device: $0) }
        var ledger = Ledger()
        for (name, text) in [("a", "1"), ("b", "22")] { try users[0].save(name, in: devices[0].root, text, &ledger) }
        let sync = { (device: SimulatedDevice) in
            device.time.advance(by: .seconds(1))
            try device.syncFully()
        }
        for device in devices + devices { try sync(device) }
        // A device deletes the first document and edits the second. Meanwhile the two are merged remotely and the
        // content is edited.
        _ = try users[1].unlink(#require(try users[1].item("a", in: devices[1].root)), &ledger)
        devices[1].time.advance(by: .seconds(1))
        #expect(try devices[1].makeBatch())
        try users[1].save("b", in: devices[1].root, "mine", &ledger)
        if isUploaded {
            devices[1].time.advance(by: .seconds(1))
            try devices[1].upload()
        }
        try users[0].save("b", in: devices[0].root, "1", &ledger)
        try users[0].save("a", in: devices[0].root, "theirs", &ledger)
        try devices[2].files.rename(
            Array("a".utf8), in: devices[2].root, to: Array("b".utf8), in: devices[2].root, mode: .replace)
        try sync(devices[2])
        for device in devices + devices + devices { try sync(device) }
        for device in devices {
            #expect(try device.unrest().isEmpty)
            #expect(try Snapshot(device).contents == ["mine", "theirs"])
        }
        for device in devices { try device.end() }
    }
}
