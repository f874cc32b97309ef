import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Foundation
import LocalContent
import LocalMetadata
import Logging
import Sync
import TestSupport
import Transfers
import VirtualFileSystem

/// A device with everything real except its loops, its kernel and its network: a database, blobs, a file system and the
/// engine's parts.
final class SimulatedDevice {
    /// The memory-only parts, lost in a crash.
    struct Parts {
        let metadata: MetadataDatabase
        let content: ContentStore
        let files: VirtualFileSystem
        let context: EngineContext
        let recovery: Recovery
        var handles: [(handle: OpenHandle, path: String)] = []
    }

    /// Later than the disk's clock, so every file not being written counts as idle.
    static let start = Timestamp(seconds: 1_900_000_000)
    let identity: DeviceIdentity
    let name: String
    let cloud: SimulatedCloud
    let time: ManualTime
    /// The step at which the device can reach the cloud again; nil while it can.
    var offlineUntil: Int?
    var isOnline: Bool { offlineUntil == nil }
    /// The batches sent last, for late repeats by the network.
    var sent: [(payload: [UInt8], position: LogPosition)] = []
    /// How often the cloud had been put back, as of this device's last look.
    var lookedAt = 0
    let number: Int
    var hasLostPower = false
    /// The folder of its only container.
    private(set) var root = NodeID.root
    /// Whether the state was rebuilt, so the device needs a new id.
    var isNewState = false
    let disk: SimulatedDisk
    /// The size from which new files are announced: some devices announce every nonempty new file, some only longer
    /// files, some none.
    private let announcedSize: UInt64
    private let closing: CloseRecording
    let shared: SharedParts
    let ids: SeededIDs
    private var memory: Parts?

    /// - Parameter gathersCloses: Whether closed files wait for the next change of the tree, or the next round of uploads.
    init(
        number: Int, seed: UInt64, skew: Duration, cloud: SimulatedCloud, shared: SharedParts,
        gathersCloses: Bool = false, from copy: StateCopy? = nil
    ) throws {
        self.number = number
        closing = gathersCloses ? .gathered { _ in } : .immediate
        identity = DeviceIdentity(DeviceID(cloud.bug == .oneIdentity ? 1 : UInt64(number) * 2 + 1))
        name = "device \(number)"
        self.cloud = cloud
        self.shared = shared
        time = ManualTime(Self.start.adding(skew))
        ids = SeededIDs(seed: seed &+ UInt64(number) &* 977)
        announcedSize = [1, 8, .max][Int((seed &+ UInt64(number)) % 3)]
        disk = try shared.takeDisk()
        if let copy { try disk.replace(by: copy) }
        try start()
    }

    var parts: Parts {
        get {
            guard let memory else { preconditionFailure("\(name) is not running") }
            return memory
        }
        set { memory = newValue }
    }

    var metadata: MetadataDatabase { parts.metadata }
    var content: ContentStore { parts.content }
    var files: VirtualFileSystem { parts.files }
    var context: EngineContext { parts.context }

    func container() throws -> LocalContainer { try container(in: metadata) }

    private func container(in metadata: MetadataDatabase) throws -> LocalContainer {
        guard let container = try metadata.read({ try $0.container(named: .cloudDocs) }) else {
            throw Errno(ENOENT, "no container")
        }
        return container
    }

    /// Ends the process: its memory is lost, and everything written to the disk stays. Open connections to the database
    /// have no state missing from the disk, so most of the time they may stay open.
    func crash(closesDatabase: Bool = true) throws {
        memory = nil
        if closesDatabase { try disk.close() }
    }

    /// Ends the device's history.
    func end() throws {
        memory = nil
        try shared.giveBack(disk)
    }

    var faults: Faults { disk.faults }

    func start() throws {
        let (metadata, content) = try disk.open()
        content.noteNewProcess()
        if cloud.bug == .sweepsEdits { try sweepEdits(metadata, content) }
        let recovery = Recovery(metadata: metadata, content: content, time: time, log: shared.log)
        try recovery.run()
        if try metadata.read({ try $0.container(named: .cloudDocs) }) == nil {
            _ = try metadata.write { try $0.createContainer(.cloudDocs, at: time.now()) }
        }
        root = try container(in: metadata).node
        let identity = try metadata.write { [identity, ids, isNewState] transaction in
            if let stored = try transaction.device() { return DeviceIdentity(stored) }
            let id = isNewState ? DeviceID(ids.next().low | 1) : identity.current
            try transaction.setDevice(id)
            return DeviceIdentity(id)
        }
        let source = IdleContentSource(content, container: .cloudDocs, transfers: shared.transfers)
        let files = VirtualFileSystem(
            metadata: metadata, content: content, source: source, time: time, owner: (1000, 1000),
            device: { [identity] in identity.current },
            newID: ids.next, closing: closing, log: shared.log)
        let context = EngineContext(
            metadata: metadata, content: content, backend: shared.transfers.backend,
            mounted: KernellessMount(files), transfers: shared.transfers, identity: identity, deviceName: name,
            time: time, newID: ids.next, announcedSize: announcedSize, log: shared.log)
        memory = Parts(metadata: metadata, content: content, files: files, context: context, recovery: recovery)
        try recovery.sweep(startedAt: time.now()) { _ in false }
        try recovery.repairLost { _ in false }
        try MismatchedBytes(context).separate { _ in false }
    }
}
