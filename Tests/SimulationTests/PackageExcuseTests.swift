import CloudModel
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Simulation

@Suite("Contents replaced in packages, in the simulation's ledger")
struct PackageExcuseTests {
    private func problems(_ ledger: Ledger) -> [String] { ledger.problems(visible: ["old", "new"], standing: { $0 }) }

    @Test(
        "a replaced content may come back only after a device showed its folder in a package and a package was kept as a copy"
    )
    func folderInPackage() throws {
        let device = try SimulatedDevice(
            number: 0, seed: 1, skew: .zero, cloud: SimulatedCloud(bug: nil), shared: SharedParts())
        let user = UserActions(device: device)
        var ledger = Ledger()
        let make = { (name: String, parent: NodeID) in
            try device.files.makeFolder(Array(name.utf8), in: parent, permissions: 0o755, caller: user.caller).node
        }
        let folder = try make("f", device.root)
        _ = try user.save("b", in: folder, "old", &ledger)
        ledger.note(try Snapshot(device), on: 0)
        _ = try user.save("b", in: folder, "new", &ledger)
        ledger.note(try Snapshot(device), on: 0)
        #expect(problems(ledger) == ["‘old’ came back"])
        let package = try make("q.app", device.root)
        _ = try make("q (conflict from device 1).app", device.root)
        ledger.note(try Snapshot(device), on: 0)
        #expect(problems(ledger) == ["‘old’ came back"])
        try device.files.rename(Array("f".utf8), in: device.root, to: Array("f".utf8), in: package, mode: .replace)
        ledger.note(try Snapshot(device), on: 0)
        #expect(problems(ledger) == [])
        try device.end()
    }

    @Test(
        "a content that was replaced before its document moved into a package may come back once a package was kept as a copy"
    )
    func documentIntoPackage() throws {
        let device = try SimulatedDevice(
            number: 0, seed: 1, skew: .zero, cloud: SimulatedCloud(bug: nil), shared: SharedParts())
        let user = UserActions(device: device)
        var ledger = Ledger()
        for text in ["old", "new"] {
            _ = try user.save("b", in: device.root, text, &ledger)
            ledger.note(try Snapshot(device), on: 0)
        }
        let make = { (name: String) in
            try device.files.makeFolder(Array(name.utf8), in: device.root, permissions: 0o755, caller: user.caller).node
        }
        let package = try make("q.app")
        ledger.note(try Snapshot(device), on: 0)
        try device.files.rename(Array("b".utf8), in: device.root, to: Array("b".utf8), in: package, mode: .replace)
        ledger.note(try Snapshot(device), on: 0)
        #expect(problems(ledger) == ["‘old’ came back"])
        _ = try make("q (conflict from device 1).app")
        ledger.note(try Snapshot(device), on: 0)
        #expect(problems(ledger) == [])
        try device.end()
    }

    @Test("the former contents of a document are those of the row that stands for it in the copy of a package")
    func newID() throws {
        let device = try SimulatedDevice(
            number: 0, seed: 1, skew: .zero, cloud: SimulatedCloud(bug: nil), shared: SharedParts())
        let user = UserActions(device: device)
        var ledger = Ledger()
        for text in ["old", "new"] {
            _ = try user.save("b", in: device.root, text, &ledger)
            ledger.note(try Snapshot(device), on: 0)
        }
        let copy = try device.files.makeFolder(
            Array("q (conflict from device 1).app".utf8), in: device.root, permissions: 0o755, caller: user.caller)
        ledger.note(try Snapshot(device), on: 0)
        #expect(problems(ledger) == ["‘old’ came back"])
        var row = try #require(try user.item("b", in: device.root))
        row.item = ItemID(high: 9, low: 9)
        try device.metadata.write { try $0.local.update(row) }
        try device.files.rename(Array("b".utf8), in: device.root, to: Array("b".utf8), in: copy.node, mode: .replace)
        ledger.note(try Snapshot(device), on: 0)
        #expect(problems(ledger) == [])
        try device.end()
    }
}
