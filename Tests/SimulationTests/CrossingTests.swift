import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Sync
import Testing
import VirtualFileSystem

@testable import Simulation

/// Two devices change the same package while the batches of both are on their way to the log.
@Suite("Packages that two devices change at the same time")
struct CrossingTests {
    /// The event on the device with the second batch, between creating its own batch and folding the first.
    enum Interlude: CaseIterable {
        /// Its batch is in the log after the first batch.
        case sent
        /// The batch reached the log, but the reply was lost; the device stops and starts again.
        case sentAndRestarted
        /// The batch waits on the device, which restarts.
        case restarted
        /// The batch reaches the log after its replacement.
        case late
    }

    private func withTwo(_ body: (SimulatedCloud, [SimulatedDevice], [UserActions]) throws -> Void) throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        let devices = try (0..<2).map {
            try SimulatedDevice(number: $0, seed: 3, skew: .zero, cloud: cloud, shared: shared)
        }
        let users = devices.map { UserActions(device: $0) }
        let package = try devices[0].files.makeFolder(
            Array("p.app".utf8), in: devices[0].root, permissions: 0o755, caller: users[0].caller)
        for name in ["x", "y", "z"] { try users[0].save(name, in: package.node, "old \(name)", &ledger) }
        try users[0].save("other", in: devices[0].root, "1", &ledger)
        try rest(devices)
        try body(cloud, devices, users)
        for device in devices { try device.end() }
    }

    /// A ledger that is never read: each test checks the contents of documents itself.
    private var ledger: Ledger {
        get { Ledger() }
        nonmutating set {}
    }

    private func rest(_ devices: [SimulatedDevice]) throws {
        for _ in 0..<4 {
            for device in devices {
                device.time.advance(by: .seconds(1))
                try device.syncFully()
            }
        }
        for device in devices { #expect(try device.unrest().isEmpty) }
    }

    /// Uploads and creates a batch without sending it.
    private func prepare(_ device: SimulatedDevice) throws {
        device.time.advance(by: .seconds(1))
        try device.upload()
        #expect(try device.makeBatch())
    }

    private func overwrite(_ path: String, _ text: String, _ user: UserActions) throws {
        _ = try user.overwrite(item(path, user), text, truncate: true, &ledger)
    }

    /// Overwrites a different file of the package on each device.
    private func overwriteBoth(_ users: [UserActions]) throws {
        try overwrite("p.app/x", "first", users[0])
        try overwrite("p.app/y", "second", users[1])
    }

    /// Creates a batch on each device before they have seen each other's, and appends the first device's batch first.
    private func cross(_ devices: [SimulatedDevice]) throws {
        for device in devices { try prepare(device) }
        for device in devices { try device.append() }
    }

    private func item(_ path: String, _ user: UserActions) throws -> LocalItem {
        let names = path.split(separator: "/").map(String.init)
        var found = try #require(try user.item(names[0], in: user.device.root))
        for name in names.dropFirst() { found = try #require(try user.item(name, in: found.node)) }
        return found
    }

    /// Returns the names and contents of the files in each visible package, by the package's name.
    private func packages(_ device: SimulatedDevice) throws -> [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        for folder in try device.metadata.read({ try $0.local.children(of: device.root, limit: 99) })
        where folder.isPackage {
            for file in try device.metadata.read({ try $0.local.children(of: folder.node, limit: 99) }) {
                found[folder.name.description, default: [:]][file.name.description] = try device.text(of: file)
            }
        }
        return found
    }

    private func restart(_ device: SimulatedDevice) throws {
        try device.crash()
        try device.start()
    }

    @Test(
        "both are kept as two complete packages on both devices, and the other changes of the second batch are sent",
        arguments: Interlude.allCases)
    func twoWholes(_ interlude: Interlude) throws {
        try withTwo { cloud, devices, users in
            try overwriteBoth(users)
            _ = try users[1].unlink(item("p.app/z", users[1]), &ledger)
            try overwrite("other", "2", users[1])
            for device in devices { try prepare(device) }
            try devices[0].append()
            let late = try #require(try devices[1].outbox())
            switch interlude {
            case .sent: try devices[1].append()
            case .sentAndRestarted:
                try devices[1].append()
                try restart(devices[1])
            case .restarted, .late: try restart(devices[1])
            }
            try rest(devices)
            if interlude == .late {
                try cloud.append(late)
                try rest(devices)
            }
            for device in devices {
                let shown = try packages(device)
                let copy = try #require(shown.first { $0.key != "p.app" })
                #expect(copy.key.contains(" (conflict from device 1 "))
                #expect(shown.count == 2)
                #expect(shown["p.app"] == ["x": "first", "y": "old y", "z": "old z"])
                #expect(copy.value == ["x": "old x", "y": "second"])
                #expect(try device.text(of: item("other", UserActions(device: device))) == "2")
            }
        }
    }

    @Test("the first of the two is unchanged, and no copy is made on its device")
    func first() throws {
        try withTwo { _, devices, users in
            try overwriteBoth(users)
            try cross(devices)
            while try devices[0].fold() {}
            #expect(try packages(devices[0]) == ["p.app": ["x": "first", "y": "old y", "z": "old z"]])
        }
    }

    @Test("edits made after the batch are kept with it in one copy of the package")
    func writtenSince() throws {
        try withTwo { _, devices, users in
            try overwriteBoth(users)
            try cross(devices)
            try overwrite("p.app/y", "third", users[1])
            try users[1].save("w", in: item("p.app", users[1]).node, "new", &ledger)
            try rest(devices)
            for device in devices {
                let copy = try #require(try packages(device).first { $0.key != "p.app" })
                #expect(copy.value == ["x": "old x", "y": "third", "z": "old z", "w": "new"])
                #expect(try packages(device)["p.app"] == ["x": "first", "y": "old y", "z": "old z"])
            }
        }
    }

    @Test(
        "a package that one device deletes while another changes it is kept complete: under its name, or as a copy if the deletion was first",
        arguments: [0, 1])
    func deleted(deleter: Int) throws {
        try withTwo { _, devices, users in
            try overwrite("p.app/x", "changed", users[1 - deleter])
            for name in ["x", "y", "z"] {
                _ = try users[deleter].unlink(item("p.app/\(name)", users[deleter]), &ledger)
            }
            try devices[deleter].files.removeFolder(Array("p.app".utf8), in: devices[deleter].root)
            try cross(devices)
            try rest(devices)
            for device in devices {
                let shown = try packages(device)
                #expect(shown.count == 1)
                #expect(shown.first?.value == ["x": "changed", "y": "old y", "z": "old z"])
                #expect((shown.first?.key == "p.app") == (deleter == 1))
            }
        }
    }

    @Test("a repeat of another device's batch, or of a refused one, makes no copy")
    func voidEntries() throws {
        try withTwo { cloud, devices, users in
            try overwriteBoth(users)
            for device in devices { try prepare(device) }
            let batches = try devices.map { try #require(try $0.outbox()) }
            try devices[0].append()
            try devices[1].append()
            while try devices[0].fold() {}
            try overwrite("p.app/z", "third", users[0])
            for batch in [batches[1], batches[0], batches[1]] { try cloud.append(batch) }
            try rest(devices)
            for device in devices {
                #expect(try packages(device)["p.app"] == ["x": "first", "y": "old y", "z": "third"])
                #expect(try packages(device).count == 2)
            }
        }
    }

    @Test("keys of a refused batch are sent with the next one")
    func keys() throws {
        try withTwo { _, devices, users in
            try overwriteBoth(users)
            let container = try devices[1].container().id
            try devices[1].metadata.write {
                try $0.keyValues.set("k", to: [1], in: container, at: devices[1].time.now())
            }
            try cross(devices)
            try rest(devices)
            let other = try devices[0].container().id
            #expect(try devices[0].metadata.read { try $0.keyValues.value("k", in: other) } == [1])
        }
    }

    /// Adds a folder with a file to the package, and syncs both devices.
    private func addFolder(_ devices: [SimulatedDevice], _ users: [UserActions]) throws {
        let folder = try devices[0].files.makeFolder(
            Array("in".utf8), in: item("p.app", users[0]).node, permissions: 0o755, caller: users[0].caller)
        try users[0].save("n", in: folder.node, "old n", &ledger)
        try rest(devices)
    }

    private func removeFolder(_ user: UserActions) throws {
        _ = try user.unlink(item("p.app/in/n", user), &ledger)
        try user.device.files.removeFolder(Array("in".utf8), in: item("p.app", user).node)
    }

    @Test("the contents of a folder that is deleted in a package are sent with the rest of the save, and not before it")
    func deletedFolder() throws {
        try withTwo { _, devices, users in
            try addFolder(devices, users)
            try removeFolder(users[0])
            try overwrite("p.app/x", "new", users[0])
            devices[0].time.advance(by: .seconds(1))
            #expect(try !devices[0].makeBatch(), "the edit is not uploaded yet")
            try prepare(devices[0])
            try devices[0].append()
            while try devices[0].fold() {}
            #expect(try !devices[0].makeBatch(), "all of it was in one batch")
            try rest(devices)
            for user in users {
                #expect(try user.item("in", in: item("p.app", user).node) == nil)
                #expect(try user.device.text(of: item("p.app/x", user)) == "new")
            }
        }
    }

    @Test("a folder that is deleted in a package that another device changed is deleted only in the copy")
    func deletedFolderSetAside() throws {
        try withTwo { _, devices, users in
            try addFolder(devices, users)
            try overwrite("p.app/x", "first", users[0])
            try removeFolder(users[1])
            try prepare(devices[0])
            try devices[0].append()
            try rest(devices)
            for (device, user) in zip(devices, users) {
                #expect(try device.text(of: item("p.app/in/n", user)) == "old n")
                let folders = try device.metadata.read { try $0.local.children(of: device.root, limit: 99) }
                let copy = try #require(folders.first { $0.isPackage && $0.name.description != "p.app" })
                #expect(try user.item("in", in: copy.node) == nil)
            }
        }
    }
}

extension SimulatedDevice {
    /// Returns the batch in the outbox.
    fileprivate func outbox() throws -> [UInt8]? {
        let container = try container()
        return try metadata.read { try $0.pending.batch(of: container.id)?.payload }
    }
}
