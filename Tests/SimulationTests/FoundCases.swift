import CloudModel
import ContainerLog
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Sync
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases found by random histories, each as short as possible.
@Suite("Regressions that histories found")
struct FoundCases {
    func withDevice(_ body: (SimulatedDevice, UserActions) throws -> Void) throws {
        let device = try SimulatedDevice(
            number: 0, seed: 1, skew: .zero, cloud: SimulatedCloud(bug: nil), shared: SharedParts())
        try body(device, UserActions(device: device))
        try device.end()
    }

    func rest(_ device: SimulatedDevice) throws {
        for _ in 0..<3 {
            device.time.advance(by: .seconds(1))
            try device.syncFully()
        }
        #expect(try device.unrest().isEmpty)
    }

    /// Creates a document that the cloud knows, and opens it for writing.
    func openSaved(_ device: SimulatedDevice, _ user: UserActions) throws -> (file: LocalItem, handle: OpenHandle) {
        var ledger = Ledger()
        try user.save("a", in: device.root, "1", &ledger)
        try rest(device)
        let file = try #require(try user.item("a", in: device.root))
        return (file, try device.files.open(file.node, canWrite: true, truncate: false))
    }

    @Test("an attribute that is set while a file is open for writing, but not written, is sent")
    func attributeOfOpenFile() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            let root = try device.container().node
            try user.save("a", in: root, "1", &ledger)
            try rest(device)
            let file = try #require(try user.item("a", in: root))
            let handle = try device.files.open(file.node, canWrite: true, truncate: false)
            try device.files.setExtendedAttribute("user.x", to: [1], of: file.node, mode: .any)
            device.files.release(handle)
            try rest(device)
            let sent = try device.metadata.read { try $0.remote(file.item, in: file.container) }
            #expect(sent?.attributes.extended == ["user.x": [1]])
        }
    }

    @Test("a change made before the clock was set back by a day is sent at once")
    func clockSetBack() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            let root = try device.container().node
            try user.save("a", in: root, "1", &ledger)
            device.time.advance(by: .seconds(-86_400))
            try rest(device)
            #expect(device.cloud.log.count == 1)
        }
    }

    @Test("an edit whose close failed on a full disk is sent once there is space, without a restart")
    func closeOnFullDisk() throws {
        try withDevice { device, user in
            let (file, handle) = try openSaved(device, user)
            try user.put("22", handle)
            device.faults.begin(.fullDisk, sparing: 0)
            device.files.release(handle)
            #expect(device.faults.end() > 0)
            try rest(device)
            #expect(try device.metadata.read { try $0.local.item(file.node) }?.content?.size == 2)
            #expect(device.cloud.log.count == 2)
        }
    }

    @Test("a failed open for writing leaves no state that waits for a close", arguments: 0..<4)
    func failedOpen(spared: Int) throws {
        try withDevice { device, user in
            var ledger = Ledger()
            try user.save("a", in: device.root, "1", &ledger)
            try rest(device)
            let file = try #require(try user.item("a", in: device.root))
            device.faults.begin(.brokenDisk, sparing: spared)
            let handle = try? device.files.open(file.node, canWrite: true, truncate: true)
            device.faults.end()
            if let handle { device.files.release(handle) }
            try rest(device)
            let row = try #require(try device.metadata.read { try $0.local.item(file.node) })
            #expect(!row.isWriting)
            #expect(!row.isEdited)
        }
    }

    @Test("a document whose blob was lost in a power cut is a placeholder again after the start")
    func lostBlob() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            try user.save("a", in: device.root, "1", &ledger)
            try rest(device)
            let file = try #require(try user.item("a", in: device.root))
            try device.content.remove(file.blob)
            try device.crash()
            try device.start()
            let row = try #require(try device.metadata.read { try $0.local.item(file.node) })
            #expect(row.presence == .none)
            try device.materialise(row)
            #expect(try device.text(of: #require(try user.item("a", in: device.root))) == "1")
        }
    }

    @Test("an edit that survived a power cut while its row did not has the right size after the start")
    func rowBehindBlob() throws {
        try withDevice { device, user in
            var ledger = Ledger()
            try user.save("a", in: device.root, "1", &ledger)
            let file = try #require(try user.item("a", in: device.root))
            let descriptor = try device.content.open(file.blob)
            #expect(pwrite(descriptor, "4444", 4, 0) == 4)
            close(descriptor)
            try device.crash()
            try device.start()
            #expect(try device.metadata.read { try $0.local.item(file.node) }?.size == 4)
        }
    }
}
