import Basics
import Chunking
import CloudModel
import CloudStorage
import DeviceSupport
import DirectoryCloud
import Foundation
import LocalMetadata
import Logging
import SystemPackage
import Testing

@testable import Maintenance
@testable import Sync

/// Devices with a shared cloud in a directory, and a shared clock advanced by the test.
final class CollectingDevices {
    let folder = FilePath("\(NSTemporaryDirectory())/collecting-\(UUID().uuidString)")
    let time = ManualTime(KernellessDevice.start)
    private var count: UInt64 = 0

    deinit { try? FileManager.default.removeItem(atPath: folder.string) }

    /// Returns a device with a folded log.
    func join(_ wrap: (DirectoryBackend) -> any ChunkCollecting = { $0 }) async throws -> CollectingDevice {
        count += 1
        let cloud = wrap(
            DirectoryBackend(path: folder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        let device = CollectingDevice(
            device: try KernellessDevice(cloud: cloud, id: DeviceID(count), time: time), cloud: cloud)
        try await device.sync()
        return device
    }

    /// A month passes: earlier replacements and deletions are no longer in these devices' history.
    func passMonth(_ devices: CollectingDevice...) throws {
        time.advance(by: .seconds(31 * 86_400))
        let oldest = time.now().adding(.zero - VersionLimits.keptAge)
        for device in devices {
            try device.device.metadata.write {
                try $0.history.expireVersions(before: oldest)
                try $0.history.expireDeletions(before: oldest)
            }
        }
    }

    func passDay() { time.advance(by: .seconds(86_400)) }
}

struct CollectingDevice {
    let device: KernellessDevice
    let cloud: any ChunkCollecting

    /// Sends all pending changes, and folds the log.
    func sync() async throws {
        // A second round sends changes refused in the first.
        for _ in 0..<3 {
            for lane in UploadService.Lane.allCases { try await device.engine.upload(lane) }
            _ = try await device.engine.syncLogs()
        }
    }

    func save(_ name: String, _ bytes: [UInt8]) async throws {
        if (try device.row(name)) != nil { try device.remove(name) }
        try device.save(name, bytes)
        try await sync()
    }

    func remove(_ name: String) async throws {
        try device.remove(name)
        try await sync()
    }

    @discardableResult
    func collect(_ purpose: CollectionPlan.Purpose = .requested) async throws -> CollectionReport {
        let container = try #require(try device.metadata.read { try $0.container(named: .cloudDocs) })
        let engine = device.engine
        return try await CloudCollector(device.context, cloud, container) { _ = try await engine.syncLogs() }.run(
            purpose)
    }

    func listing() async throws -> [StoredChunk] {
        try await cloud.storedChunks(in: .cloudDocs, after: nil, limit: 100_000)
    }

    /// Reads a document from the cloud, as a device without any bytes does.
    func text(_ name: String) async throws -> [UInt8] {
        let item = try #require(try device.row(name))
        return try await bytes(of: try #require(item.content))
    }

    func bytes(of content: ContentReference) async throws -> [UInt8] {
        let reader = ManifestReader(context: device.context, container: .cloudDocs)
        var bytes: [UInt8] = []
        for chunk in try #require(try await reader.manifest(of: content)).chunks {
            bytes += try await device.context.plainBytes(of: chunk.id, in: .cloudDocs)
        }
        return bytes
    }

    func versions(of name: String) throws -> [HistoricVersion] {
        let item = try #require(try device.row(name))
        return try device.metadata.read {
            try $0.history.versions(of: item.item, in: item.container, VersionLimits(), at: device.context.time.now())
        }
    }
}

/// Returns incompressible bytes, several chunks from about 100 KB on.
func noise(_ seed: UInt64, _ count: Int) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}
