import Basics
import DeviceSupport
import Glibc
import LocalMetadata
import Sync
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of local-only names.
extension FoundCases {
    /// Runs `body` with two devices. The first has announced a document without uploading it.
    private func withAnnounced(
        _ body: (_ devices: [SimulatedDevice], _ users: [UserActions], _ ledger: inout Ledger) throws -> Void
    ) throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        // The first device announces files of this size.
        let devices = try (0..<2).map {
            try SimulatedDevice(number: $0, seed: 3, skew: .zero, cloud: cloud, shared: shared)
        }
        let users = devices.map { UserActions(device: $0) }
        var ledger = Ledger()
        try users[0].save("c", in: devices[0].root, "long enough", &ledger)
        devices[0].time.advance(by: .seconds(1))
        #expect(try devices[0].makeBatch())
        try devices[0].append()
        while try devices[1].fold() {}
        try body(devices, users, &ledger)
        for device in devices { try device.end() }
    }

    @Test("a document cannot leave the sync before its author has uploaded it, and can afterwards")
    func announcedLeavesSync() throws {
        try withAnnounced { devices, users, _ in
            let rename = {
                try devices[1].files.rename(
                    Array("c".utf8), in: devices[1].root, to: Array("c.tmp".utf8), in: devices[1].root, mode: .replace)
            }
            #expect(throws: Errno(EAGAIN)) { try rename() }
            for device in devices + devices { try device.syncFully() }
            try rename()
            try restAll(devices)
            #expect(try users[0].item("c", in: devices[0].root) == nil)
            #expect(try users[1].content(of: users[1].item("c.tmp", in: devices[1].root)) == "long enough")
        }
    }

    @Test("a document cannot be excluded before its author has uploaded it, and can afterwards")
    func announcedIsExcluded() throws {
        try withAnnounced { devices, users, _ in
            let exclude = {
                try devices[1].files.setExtendedAttribute(
                    "user.ubiquity.isExcludedFromSync", to: Array("1".utf8),
                    of: users[1].require("c", in: devices[1].root).node, mode: .any)
            }
            #expect(throws: Errno(EAGAIN)) { try exclude() }
            for device in devices + devices { try device.syncFully() }
            try exclude()
            try restAll(devices)
            #expect(try users[0].item("c", in: devices[0].root) == nil)
            #expect(try users[1].content(of: users[1].item("c", in: devices[1].root)) == "long enough")
        }
    }

    @Test(
        "a document whose bytes are on their way keeps its identity, and gets them, when a new file changes places with it"
    )
    func announcedIsExchanged() throws {
        try withAnnounced { devices, users, ledger in
            let root = devices[1].root
            try users[1].save("new", in: root, "mine", &ledger)
            try devices[1].files.rename(
                Array("new".utf8), in: root, to: Array("c".utf8), in: root, mode: .exchange)
            try restAll(devices)
            for (device, user) in zip(devices, users) {
                #expect(try user.content(of: user.item("c", in: device.root)) == "mine")
                #expect(try user.content(of: user.item("new", in: device.root)) == "long enough")
            }
        }
    }

    @Test("a folder that is moved into an excluded one inside a package disappears on all other devices")
    func intoExcludedFolderOfPackage() throws {
        try withDevice { device, user in
            let make = { (name: String, parent: NodeID) in
                try device.files.makeFolder(Array(name.utf8), in: parent, permissions: 0o755, caller: user.caller).node
            }
            let folder = try make("f", device.root)
            let hidden = try make("x~", try make("p.app", device.root))
            try rest(device)
            let id = try #require(try device.metadata.read { try $0.local.item(folder) }).item
            try device.files.rename(Array("f".utf8), in: device.root, to: Array("g".utf8), in: hidden, mode: .replace)
            try rest(device)
            let container = try device.container().id
            #expect(try device.metadata.read { try $0.remote(id, in: container) } == nil)
        }
    }

    /// The device kept the folder for newly created items, under an id deleted in the log.
    @Test(
        "a folder that was kept after its deletion, and is then excluded, does not replace the one that is restored")
    func keptFolderLeavesSync() throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        let devices = try (0..<3).map {
            try SimulatedDevice(number: $0, seed: 3, skew: .zero, cloud: cloud, shared: shared)
        }
        let users = devices.map { UserActions(device: $0) }
        var ledger = Ledger()
        let folder = try devices[0].files.makeFolder(
            Array("f".utf8), in: devices[0].root, permissions: 0o755, caller: users[0].caller
        ).node
        try users[0].save("b", in: folder, "1", &ledger)
        let syncAll = {
            for device in devices + devices + devices {
                device.time.advance(by: .seconds(1))
                try device.syncFully()
            }
        }
        try syncAll()
        // One device deletes the folder, one edits and one creates a file in it; only the first of them syncs.
        _ = try users[0].sweep(users[0].require("f", in: devices[0].root), &ledger)
        let edited = try users[1].require("b", in: users[1].require("f", in: devices[1].root).node)
        _ = try users[1].overwrite(edited, "22", truncate: true, &ledger)
        let kept = try users[2].require("f", in: devices[2].root)
        try users[2].save("c", in: kept.node, "333", &ledger)
        devices[0].time.advance(by: .seconds(1))
        try devices[0].syncFully()
        while try devices[2].fold() {}
        #expect(try devices[2].metadata.read { try $0.local.item(kept.node) }?.isKnown == false)
        try devices[2].files.rename(
            Array("f".utf8), in: devices[2].root, to: Array("f.tmp".utf8), in: devices[2].root, mode: .replace)
        try syncAll()
        for (device, user) in zip(devices, users) {
            #expect(try device.unrest().isEmpty)
            let shown = try user.require("f", in: device.root)
            #expect(!shown.isExcluded)
            #expect(try user.content(of: user.item("b", in: shown.node)) == "22")
        }
        let own = try users[2].require("f.tmp", in: devices[2].root)
        #expect(own.isExcluded)
        #expect(try users[2].content(of: users[2].item("c", in: own.node)) == "333")
        for device in devices { try device.end() }
    }
}

extension UserActions {
    fileprivate func require(_ name: String, in folder: NodeID) throws -> LocalItem {
        try #require(try item(name, in: folder))
    }
}
