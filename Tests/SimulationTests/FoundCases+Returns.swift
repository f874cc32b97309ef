import CloudModel
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of contents that came back although a user had replaced or deleted them, found by random histories.
extension FoundCases {
    private func sync(_ devices: [SimulatedDevice], times: Int = 1) throws {
        for device in Array(repeating: devices, count: times).joined() {
            device.time.advance(by: .seconds(1))
            try device.syncFully()
        }
    }

    private func document(_ name: String, _ user: UserActions) throws -> LocalItem {
        try #require(try user.item(name, in: user.device.root))
    }

    private func empty(_ document: LocalItem, _ device: SimulatedDevice) throws {
        var request = AttributeRequest()
        request.size = 0
        _ = try device.files.setAttributes(of: document.node, request)
    }

    /// Returns the contents of documents and of versions in conflict, equal on all devices.
    private func contents(_ devices: [SimulatedDevice]) throws -> Set<String> {
        for device in devices { #expect(try device.unrest().isEmpty) }
        let shown = try devices.map { try Snapshot($0).contents }
        #expect(Set(shown).count == 1)
        return shown[0]
    }

    private func problems(_ ledger: Ledger, _ devices: [SimulatedDevice]) throws -> [String] {
        let (visible, container) = (try contents(devices), try devices[0].container().id)
        return try devices[0].metadata.read { transaction in
            let tree = transaction.remote(in: container)
            return ledger.problems(visible: visible) { (try? tree.standingID(for: $0)) ?? $0 }
        }
    }

    /// The second device deletes a document with the bytes of an edit it has not seen. To the log, it deletes the
    /// previous content.
    @Test(
        "an edit is kept although another device, which had not seen it, gave the document the same bytes and deleted it"
    )
    func sameBytesInOneDocument() throws {
        try withDevices(2) { devices, users in
            var ledger = Ledger()
            try users[0].save("b", in: devices[0].root, "1", &ledger)
            try sync(devices, times: 2)
            _ = try users[0].replace(document("b", users[0]), by: "new.txt", "22", &ledger)
            _ = try users[1].write("22", from: document("b", users[0]).item, to: "c", in: devices[1].root, &ledger)
            ledger.note(try Snapshot(devices[1]), on: 1)
            _ = try users[1].rename(document("c", users[1]), over: document("b", users[1]), &ledger)
            ledger.note(try Snapshot(devices[1]), on: 1)
            _ = try users[1].unlink(document("b", users[1]), &ledger)
            try sync(devices, times: 4)
            #expect(try contents(devices) == ["22"])
            #expect(try problems(ledger, devices) == [])
        }
    }

    /// While the deletion of `c` waits, a remote `c` becomes the document `a` in the log, and both are edited to the
    /// same bytes.
    @Test(
        "a content that was deleted does not come back as a version in conflict when its document becomes another one")
    func deletionBeforeMerge() throws {
        try withDevices(2) { devices, users in
            var ledger = Ledger()
            try users[0].save("a", in: devices[0].root, "1", &ledger)
            try users[0].save("c", in: devices[0].root, "22", &ledger)
            try sync(devices, times: 2)
            _ = try users[1].overwrite(document("c", users[1]), "333", truncate: true, &ledger)
            try sync([devices[1]])
            _ = try users[0].rename(document("c", users[0]), over: document("a", users[0]), &ledger)
            for user in users { try empty(document("a", user), user.device) }
            devices[1].time.advance(by: .seconds(1))
            try devices[1].upload()
            #expect(try devices[1].makeBatch())
            _ = try users[1].unlink(document("c", users[1]), &ledger)
            devices[0].time.advance(by: .seconds(5))
            try sync(devices, times: 4)
            #expect(try !contents(devices).contains("333"))
        }
    }

    @Test(
        "an edit that replaced what was on its way is based on that, although the document became another one meanwhile"
    )
    func editBeforeMerge() throws {
        try withDevices(3) { devices, users in
            var ledger = Ledger()
            try users[0].save("a", in: devices[0].root, "1", &ledger)
            try users[0].save("c", in: devices[0].root, "22", &ledger)
            try sync(devices, times: 2)
            _ = try users[1].overwrite(document("a", users[1]), "333", truncate: true, &ledger)
            devices[1].time.advance(by: .seconds(1))
            try devices[1].upload()
            #expect(try devices[1].makeBatch())
            _ = try users[1].unlink(document("c", users[1]), &ledger)
            _ = try users[1].overwrite(document("a", users[1]), "4444", truncate: true, &ledger)
            // The log merges the two documents: one device moves the second over the first, and another device gives
            // the first the same bytes.
            try devices[0].files.rename(
                Array("c".utf8), in: devices[0].root, to: Array("a".utf8), in: devices[0].root, mode: .replace)
            _ = try users[2].write("22", from: document("c", users[2]).item, to: "a", in: devices[2].root, &ledger)
            try sync([devices[0], devices[2], devices[1]], times: 4)
            let shown = try contents(devices)
            #expect(shown.contains("4444"))
            #expect(!shown.contains("333"))
        }
    }

    /// The third device's write to `b` is a conflict version of it, and an item once `b` is deleted. An edit of `b`
    /// without knowledge of the deletion then merges with `c`, in the place of `b`.
    @Test(
        "a content whose document became another one does not stay as an item when its user deletes or replaces it before the device knows",
        arguments: [false, true])
    func endBeforeMergeOfFormerDocument(isEdit: Bool) throws {
        try withDevices(3) { devices, users in
            var ledger = Ledger()
            try users[0].save("c", in: devices[0].root, "22", &ledger)
            try users[0].save("b", in: devices[0].root, "333", &ledger)
            try sync(devices, times: 2)
            _ = try users[2].write("22", from: document("c", users[2]).item, to: "b", in: devices[2].root, &ledger)
            try sync([devices[2]])
            devices[0].time.advance(by: .seconds(5))
            _ = try users[0].overwrite(document("b", users[0]), "4444", truncate: true, &ledger)
            _ = try users[1].overwrite(document("c", users[1]), "55555", truncate: true, &ledger)
            try sync([devices[0], devices[1]])
            let copy = try document("c", users[1])
            _ = try users[1].backUp(copy, over: document("b", users[1]), "666666", &ledger)
            if isEdit {
                _ = try users[2].overwrite(document("b", users[2]), "7777777", truncate: true, &ledger)
            } else {
                _ = try users[2].rename(document("c", users[2]), over: document("b", users[2]), &ledger)
            }
            _ = try users[0].rename(document("c", users[0]), over: document("b", users[0]), &ledger)
            try sync(devices, times: 4)
            let (shown, wrong) = (try contents(devices), try problems(ledger, devices))
            #expect(shown == (isEdit ? ["666666", "7777777"] : ["666666"]))
            #expect(wrong == [])
        }
    }

    /// Its user deleted only the document, which showed an edit of that version.
    @Test("a version in conflict stays although its document, whose unsent edit replaced it, is deleted beside it")
    func deletionBesideReplacedVersion() throws {
        try withDevices(2) { devices, users in
            var ledger = Ledger()
            try users[0].save("b", in: devices[0].root, "1", &ledger)
            try sync(devices, times: 2)
            _ = try users[1].overwrite(document("b", users[1]), "mine", truncate: true, &ledger)
            devices[0].time.advance(by: .seconds(5))
            _ = try users[0].overwrite(document("b", users[0]), "theirs", truncate: true, &ledger)
            try sync([devices[1]])
            _ = try users[1].overwrite(document("b", users[1]), "4444", truncate: true, &ledger)
            try sync([devices[0]])
            while try devices[1].fold() {}
            _ = try users[1].unlink(document("b", users[1]), &ledger)
            try sync(devices, times: 4)
            #expect(try contents(devices) == ["mine", "theirs"])
            #expect(try problems(ledger, devices) == [])
        }
    }
}
