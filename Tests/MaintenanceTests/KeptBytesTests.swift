import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import DeviceSupport
import Foundation
import Glibc
import HTTPTransport
import LocalMetadata
import Logging
import S3Client
import S3Cloud
import S3Double
import TestSupport
import Testing
import VirtualFileSystem

@testable import Maintenance
@testable import Sync
@testable import Transfers

@Suite("What a cloud without a server keeps")
struct KeptBytesTests {
    /// The fixed seeds failed once. `KEPT_HISTORIES` sets the number of random seeds.
    private static let seeds: [UInt64] = {
        let count = ProcessInfo.processInfo.environment["KEPT_HISTORIES"].flatMap { Int($0) } ?? 1
        return [1, 2, 3, 4_477_694_746_015_669_566] + (0..<count).map { _ in .random(in: 1_000 ... .max) }
    }()

    @Test(
        "in a directory, whatever is written, replaced, moved, contested, deleted, given up and removed for good, the bytes that stay are those that something names",
        arguments: seeds)
    func directory(seed: UInt64) async throws {
        let devices = CollectingDevices()
        try await History(devices, [try await devices.join(), try await devices.join()], seed).run()
    }

    @Test(
        "in a bucket, whatever is written, replaced, moved, contested, deleted, given up and removed for good, the bytes that stay are those that something names",
        arguments: seeds.suffix(2))
    func bucket(seed: UInt64) async throws {
        let credentials = try #require(S3Credentials(accessKey: "KEY", secretKey: "secret"))
        let double = S3Double(credentials: credentials)
        let connections = HTTPConnections()
        try await double.serve(prefix: "documents") { location in
            func backend() async throws -> S3Backend {
                let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let client = try S3Client(
                    location, region: nil, transport: connections, logger: quiet, pause: { _ in await Task.yield() }
                ) { credentials }
                let backend = S3Backend(client, logger: quiet)
                _ = try await backend.connect(create: true)
                try await backend.createContainer(.cloudDocs)
                return backend
            }
            let clouds = [try await backend(), try await backend()]
            let devices = CollectingDevices()
            try await History(
                devices, [try await devices.join { _ in clouds[0] }, try await devices.join { _ in clouds[1] }], seed
            ).run()
        }
    }
}

/// A random history of two devices, and its required result in the cloud.
private final class History {
    private let devices: CollectingDevices
    private let pair: [CollectingDevice]
    private let pool: BlockingPool
    private var random: SeededGenerator
    private var count = 0
    /// The chunks of each document as it is, and those of its earlier versions.
    private var current: [String: Set<ChunkID>] = [:]
    private var earlier: [String: Set<ChunkID>] = [:]
    private var deleted: Set<ChunkID> = []
    /// The chunks of conflict versions. Their documents are left alone: each edit would decide about them.
    private var contested: [String: Set<ChunkID>] = [:]
    private var contents: [[UInt8]] = []

    init(_ devices: CollectingDevices, _ pair: [CollectingDevice], _ seed: UInt64) throws {
        print("seed \(seed)")
        self.devices = devices
        self.pair = pair
        pool = try BlockingPool(name: "test")
        random = SeededGenerator(seed: seed)
    }

    func run() async throws {
        for _ in 0..<40 {
            let device = pair[random.number(0..<2)]
            try await step(device)
            try await settle()
            devices.time.advance(by: .seconds(600))
        }
        try await collectAll()
        try await expectKept()
        try await purge(pair[0])
        try await collectAll()
        try await expectKept()
        try devices.passMonth(pair[0], pair[1])
        earlier = [:]
        try await collectAll()
        try await expectKept()
    }

    private func step(_ device: CollectingDevice) async throws {
        let name = current.keys.filter { contested[$0] == nil }.sorted().randomElement(using: &random)
        switch random.number(0..<15) {
        case 0...3:
            count += 1
            try await write("d\(count)", device)
        case 4...5:
            guard let name else { return }
            earlier[name, default: []].formUnion(current[name] ?? [])
            try await write(name, device)
        case 6...7:
            guard let name else { return }
            try await device.remove(name)
            deleted.formUnion(current.removeValue(forKey: name) ?? [])
            deleted.formUnion(earlier.removeValue(forKey: name) ?? [])
        case 8:
            // An abandoned upload.
            let file = try file(noise(UInt64(random.number(1..<1_000_000)), 150_000))
            _ = try await ContentUploader(device.device.context.transfers).upload(
                file, size: 150_000, to: .cloudDocs)
        case 9: try await purge(device)
        case 10...11:
            guard let name else { return }
            count += 1
            try device.device.rename(name, to: "d\(count)")
            try await device.sync()
            current["d\(count)"] = current.removeValue(forKey: name)
            earlier["d\(count)"] = earlier.removeValue(forKey: name)
        case 12:
            guard let name else { return }
            try await contest(name)
        default:
            try await device.collect()
            if random.chance(50) { devices.passDay() }
        }
    }

    /// Edits a document on both devices before either knows of the other's edit.
    private func contest(_ name: String) async throws {
        let replaced = current[name] ?? []
        let edits = [
            noise(UInt64(random.number(1..<1_000_000)), 2_000), noise(UInt64(random.number(1..<1_000_000)), 150_000),
        ]
        for (each, bytes) in zip(pair, edits) { try overwrite(name, bytes, each) }
        for each in pair { try await each.sync() }
        try await settle()
        earlier[name, default: []].formUnion(replaced)
        let row = try #require(try pair[0].device.row(name))
        let newest = try #require(
            try pair[0].device.metadata.read { try $0.remote(row.item, in: row.container)?.body.content })
        for bytes in edits {
            let chunks = try await chunks(of: bytes)
            if newest.reference.map({ chunks.contains($0.digest) }) ?? false {
                current[name] = chunks
            } else {
                contested[name] = chunks
            }
        }
    }

    private func overwrite(_ name: String, _ bytes: [UInt8], _ device: CollectingDevice) throws {
        let files = device.device
        // Its program has seen the replaced content; else the save would be a conflict (decision 71).
        files.files.release(try files.files.open(try files.node(name), canWrite: false, truncate: false))
        let handle = try files.files.open(try files.node(name), canWrite: true, truncate: true)
        try files.write(bytes, to: handle)
        files.files.release(handle)
    }

    private func chunks(of bytes: [UInt8]) async throws -> Set<ChunkID> {
        let manifest = try await ContentHasher(pool: pool).manifest(try file(bytes))
        return Set(manifest.chunks.map(\.id) + [manifest.reference.digest])
    }

    private func write(_ name: String, _ device: CollectingDevice) async throws {
        // Some documents have the bytes of others, possibly removed ones.
        if contents.isEmpty || random.chance(80) {
            let size = random.chance(40) ? 150_000 : random.number(1..<3_000)
            contents.append(noise(UInt64(random.number(1..<1_000_000)), size))
        }
        let bytes = contents.randomElement(using: &random) ?? []
        if current[name] == nil { try device.device.save(name, bytes) } else { try overwrite(name, bytes, device) }
        try await device.sync()
        current[name] = try await chunks(of: bytes)
    }

    private func purge(_ device: CollectingDevice) async throws {
        let purge = try await DeletedItems(device.device.context).purge(.init(place: [], until: devices.time.now()))
        #expect(purge.unsent == 0)
        deleted = []
        try await device.sync()
    }

    /// Collects until nothing is left to collect.
    private func collectAll() async throws {
        for _ in 0..<4 {
            try await pair[0].collect()
            try await settle()
            devices.passDay()
        }
    }

    /// Both devices have sent everything, folded the log and downloaded the newer versions: an edit of an older version
    /// would be a conflict, and its versions stay until a person has chosen.
    private func settle() async throws {
        for _ in 0..<10 {
            for device in pair { try await device.sync() }
            let isSent = try pair.allSatisfy { device in try device.device.metadata.read { try !$0.pending.hasAny() } }
            if isSent { break }
        }
        try await pair[0].sync()
        for each in pair {
            for name in current.keys.sorted() {
                guard let row = try each.device.row(name) else { continue }
                try await each.device.engine.downloads.fetchNewVersion(of: row)
            }
            try await each.sync()
        }
    }

    private func expectKept() async throws {
        let listing = try await pair[0].listing()
        let lists = try await chunksOfLists()
        let named = [current.values, earlier.values, contested.values].joined().reduce(into: deleted) {
            $0.formUnion($1)
        }
        let kept = Set(listing.map(\.key.id))
        #expect(named.isSubset(of: kept), "\(named.subtracting(kept).count) are lost")
        let unnamed = kept.subtracting(named).subtracting(lists)
        #expect(unnamed.isEmpty, "\(unnamed.count) too many")
        // `ubiquity storage` says the same.
        let device = pair[1].device
        let container = try #require(try device.metadata.read { try $0.container(named: .cloudDocs) })
        let use = try await CloudUseCount(device.context, pair[1].cloud, container).use()
        #expect(use.unnamed == 0, "\(use)")
        let documents = current.values.reduce(into: Set()) { $0.formUnion($1) }
        let bytes = listing.filter { documents.contains($0.key.id) }.reduce(0) { $0 + $1.bytes }
        #expect(use.documents == bytes, "\(use)")
        #expect(use.total >= listing.reduce(0) { $0 + $1.bytes })
    }

    private func chunksOfLists() async throws -> Set<ChunkID> {
        let device = pair[0].device
        let container = try #require(try device.metadata.read { try $0.container(named: .cloudDocs) })
        let lists = try device.metadata.read { try $0.collections.all(in: container.id).map(\.list) }
        var chunks: Set<ChunkID> = []
        for list in lists {
            let manifest = try await ManifestReader(context: device.context, container: .cloudDocs).manifest(of: list)
            chunks.formUnion((manifest?.chunks.map(\.id) ?? []) + [list.digest])
        }
        return chunks
    }

    private func file(_ bytes: [UInt8]) throws -> SharedDescriptor {
        var path = Array("/tmp/kept-XXXXXX".utf8CString)
        let file = SharedDescriptor(adopting: try check("mkstemp") { mkstemp(&path) })
        unlink(path)
        try file.write(bytes, at: 0)
        return file
    }
}
