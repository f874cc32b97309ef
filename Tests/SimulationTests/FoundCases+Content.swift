import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Sync
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of unsent or lost edits, found by random histories.
extension FoundCases {
    @Test(
        "an edit that was uploaded but is not in the log yet is not overwritten by the download of a newer version"
    )
    func downloadOverUploadedEdit() throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        let devices = try (0..<2).map {
            try SimulatedDevice(number: $0, seed: 1, skew: .zero, cloud: cloud, shared: shared)
        }
        let users = devices.map { UserActions(device: $0) }
        var ledger = Ledger()
        try users[0].save("c", in: devices[0].root, "1", &ledger)
        for device in devices { try rest(device) }
        let theirs = try #require(try users[1].item("c", in: devices[1].root))
        try devices[1].materialise(theirs)
        _ = try users[1].overwrite(theirs, "22", truncate: true, &ledger)
        try rest(devices[1])
        // The first device wants the newer version, and its user edits the file before the download.
        while try devices[0].fold() {}
        let ours = try #require(try users[0].item("c", in: devices[0].root))
        #expect(ours.wanted > 0)
        _ = try users[0].overwrite(ours, "333", truncate: true, &ledger)
        devices[0].time.advance(by: .seconds(1))
        try devices[0].upload()
        try devices[0].download()
        #expect(try devices[0].text(of: #require(try users[0].item("c", in: devices[0].root))) == "333")
        for device in devices { try device.end() }
    }

    @Test("an edit in a file that stays open is sent although the first check for it failed with a disk error")
    func idleEditOnBrokenDisk() throws {
        try withDevice { device, user in
            let (file, handle) = try openSaved(device, user)
            try user.put("22", handle)
            device.time.advance(by: .seconds(3))
            device.faults.begin(.brokenDisk, sparing: 0)
            device.files.noteIdleEdits(pause: .seconds(2))
            #expect(device.faults.end() > 0)
            device.files.release(handle)
            try rest(device)
            #expect(try device.metadata.read { try $0.local.item(file.node) }?.content?.size == 2)
        }
    }

    @Test("a new file that stays open is sent although it was renamed during the upload of its first edit")
    func renameDuringUploadOfOpenFile() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            try user.save("a", in: device.root, "1", &ledger)
            let file = try #require(try user.item("a", in: device.root))
            let handle = try device.files.open(file.node, canWrite: true, truncate: false)
            try user.put("22", handle)
            device.time.advance(by: .seconds(3))
            device.files.noteIdleEdits(pause: .seconds(2))
            device.time.advance(by: .seconds(1))
            try device.upload {
                try device.files.rename(
                    Array("a".utf8), in: device.root, to: Array("b".utf8), in: device.root, mode: .replace)
            }
            device.files.release(handle)
            try rest(device)
            #expect(try device.metadata.read { try $0.remote(file.item, in: file.container) }?.name.description == "b")
        }
    }

    @Test("a document whose name a new folder takes, and that is moved into it, is in that folder in the log")
    func intoItsSuccessor() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            let (files, root) = (device.files, device.root)
            try user.save("b", in: root, "1", &ledger)
            try rest(device)
            let document = try #require(try user.item("b", in: root))
            let folder = try files.makeFolder(Array("a".utf8), in: root, permissions: 0o755, caller: user.caller)
            try files.rename(Array("a".utf8), in: root, to: Array("b".utf8), in: root, mode: .exchange)
            try files.rename(Array("a".utf8), in: root, to: Array("b".utf8), in: folder.node, mode: .replace)
            // An edit with an unfinished upload, so the folder is sent first.
            _ = try user.overwrite(#require(try user.item("b", in: folder.node)), "22", truncate: true, &ledger)
            device.time.advance(by: .seconds(1))
            #expect(try device.makeBatch())
            try device.append()
            try rest(device)
            let inside = try #require(try user.item("b", in: folder.node))
            #expect(inside.item == document.item)
            let sent = try device.metadata.read { try $0.remote(document.item, in: document.container) }
            #expect(try sent?.parent == #require(try user.item("b", in: root)).item)
        }
    }

    @Test(
        "a document that was moved into a new paused folder keeps its name on other devices until the move is sent"
    )
    func intoPausedFolder() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            let (files, root) = (device.files, device.root)
            try user.save("b", in: root, "1", &ledger)
            try rest(device)
            let document = try #require(try user.item("b", in: root))
            let folder = try files.makeFolder(Array("p".utf8), in: root, permissions: 0o755, caller: user.caller)
            try files.setPaused(true, of: folder.node)
            try files.rename(Array("b".utf8), in: root, to: Array("b".utf8), in: folder.node, mode: .replace)
            try user.save("b", in: root, "22", &ledger)
            for _ in 0..<3 {
                device.time.advance(by: .seconds(1))
                try device.syncFully()
            }
            let sent = try device.metadata.read { try $0.remote(document.item, in: document.container) }
            #expect(sent?.name.description.hasSuffix(".moving") == false)
        }
    }

    /// The device shows its own edit until the newer edit is downloaded, and meanwhile lists it as a version in
    /// conflict as well.
    @Test("a version in conflict stays although its document was deleted here while it still showed the same content")
    func deletionBesideEqualVersion() throws {
        try withDevices(2) { devices, users in
            var ledger = Ledger()
            try users[0].save("b", in: devices[0].root, "1", &ledger)
            try restAll(devices)
            _ = try users[1].overwrite(users[1].item(at: "b"), "mine", truncate: true, &ledger)
            devices[0].time.advance(by: .seconds(5))
            _ = try users[0].overwrite(users[0].item(at: "b"), "theirs", truncate: true, &ledger)
            for device in [devices[1], devices[0]] { try sync(device) }
            while try devices[1].fold() {}
            let document = try users[1].item(at: "b")
            let versions = try devices[1].metadata.read {
                try $0.local.siblings(of: document.item, in: document.container)
            }
            #expect(try users[1].content(of: document) == "mine")
            #expect(try versions.map { try users[1].content(of: $0) } == ["mine"])
            _ = try users[1].unlink(document, &ledger)
            try restAll(devices)
            for device in devices { #expect(try Snapshot(device).contents == ["mine", "theirs"]) }
            // Deleted together with its document, the version is gone.
            for version in try users[1].items(where: \.isConflictSibling) { _ = try users[1].unlink(version, &ledger) }
            _ = try users[1].unlink(users[1].item(at: "b"), &ledger)
            try restAll(devices)
            for device in devices { #expect(try Snapshot(device).contents.isEmpty) }
        }
    }

    /// Covers two files merged in the log while one of them was edited locally, a folder with siblings renamed to a
    /// local-only name, and the histories behind the cases above.
    @Test(
        "histories that failed before succeed",
        arguments: [(9575, 76), (1435, 23), (1912, 28), (6707, 56), (9759, 78), (3499, 33), (2738, 37), (1111, 61)]
            as [(UInt64, Int)])
    func history(seed: UInt64, steps: Int) throws {
        let outcome = try History.live(Plan(seed: seed, steps: steps, vocabulary: .first), shared: SharedParts())
        #expect(outcome.problems.isEmpty, "\(outcome.report)")
    }
}
