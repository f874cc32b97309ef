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

/// One device with everything real but its loops, its kernel and its network: a database, blobs, a file system and the engine's parts.
final class SimulatedDevice {
    /// What is in memory, and gone with a crash.
    struct Parts {
        let metadata: MetadataDatabase
        let content: ContentStore
        let files: VirtualFileSystem
        let context: EngineContext
        let recovery: Recovery
        var handles: [(handle: OpenHandle, path: String)] = []
    }

    let id: DeviceID
    let name: String
    let cloud: SimulatedCloud
    let time: ManualTime
    var isOnline = true
    /// What was sent last, which the network may bring once more.
    var sent: [[UInt8]] = []
    let directory: String
    let number: Int
    let crashPoint = CrashPoint()
    /// Some devices announce every new file that is not empty, some the longer ones, some none.
    private let announcedSize: UInt64
    private let shared: SharedParts
    private let ids: SeededIDs
    private var memory: Parts?

    init(number: Int, seed: UInt64, skew: Duration, cloud: SimulatedCloud, shared: SharedParts, below root: String)
        throws
    {
        self.number = number
        id = DeviceID(cloud.bug == .oneIdentity ? 1 : UInt64(number) + 1)
        name = "device \(number)"
        self.cloud = cloud
        self.shared = shared
        // Later than the disk's clock, so that whatever was left alone counts as idle.
        time = ManualTime(Timestamp(seconds: 1_900_000_000).adding(skew))
        ids = SeededIDs(seed: seed &+ UInt64(number) &* 977)
        announcedSize = [1, 8, .max][Int((seed &+ UInt64(number)) % 3)]
        directory = "\(root)/\(number)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
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

    func container() throws -> LocalContainer {
        guard let container = try metadata.read({ try $0.container(named: .cloudDocs) }) else {
            throw Errno(ENOENT, "no container")
        }
        return container
    }

    /// The death of the process: what was in memory is gone, what was handed to the disk stays.
    func crash() throws {
        let metadata = parts.metadata
        memory = nil
        try metadata.close()
    }

    var isRunning: Bool { memory != nil }

    func start() throws {
        let metadata = try MetadataDatabase(
            path: "\(directory)/metadata.sqlite", log: shared.log, onCommit: { [crashPoint] in crashPoint.pass() })
        let content = try ContentStore(directory: "\(directory)/content")
        if cloud.bug == .sweepsEdits { try sweepEdits(metadata, content) }
        let recovery = Recovery(metadata: metadata, content: content, time: time, log: shared.log)
        try recovery.run()
        if try metadata.read({ try $0.container(named: .cloudDocs) }) == nil {
            _ = try metadata.write { try $0.createContainer(.cloudDocs, at: time.now()) }
        }
        let source = IdleContentSource(content, container: .cloudDocs, transfers: shared.transfers)
        let files = VirtualFileSystem(
            metadata: metadata, content: content, source: source, time: time, owner: (1000, 1000),
            newID: ids.next, log: shared.log)
        let context = EngineContext(
            metadata: metadata, content: content, backend: shared.transfers.backend,
            mounted: KernellessMount(files), transfers: shared.transfers, device: id, deviceName: name,
            time: time, announcedSize: announcedSize, log: shared.log)
        memory = Parts(metadata: metadata, content: content, files: files, context: context, recovery: recovery)
        try recovery.sweep(startedAt: time.now()) { _ in false }
    }
}
