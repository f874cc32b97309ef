import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import Foundation
import LocalContent
import LocalMetadata
import Sync
import TestSupport

/// Opens the state left by a power cut, like the daemon at its start, and returns its problems.
struct StateCheck {
    let directory: String
    let entries: [WorkRecord.Entry]
    /// The numbers of contents, by their references in the cloud.
    let known: [ContentReference: Int]
    /// The log position of the power cut.
    let position: Int

    /// Checks all conditions and returns the problems. Throws if the state cannot even be opened.
    func problems() async throws -> [String] {
        let cloud = try await RecordedCloud(changes, record: nil)
        let ledger = CrashLedger(entries, before: position)
        guard try isComplete() else { return ledger.kept.isEmpty ? [] : ["the database is gone"] }
        let first = try await look(cloud, ledger)
        // A second recovery must find nothing to do.
        let second = try await look(cloud, ledger)
        return first.problems + (first.shown == second.shown ? [] : ["a second start shows something else"])
            + second.problems.filter { !first.problems.contains($0) }
    }

    /// Returns whether there is a nonempty database: SQLite takes an empty file for a new database, and a daemon then
    /// rebuilds the state from the cloud.
    private func isComplete() throws -> Bool {
        let path = "\(directory)/metadata.sqlite"
        guard FileManager.default.fileExists(atPath: path) else { return false }
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int != 0
    }

    private var changes: [CloudChange] {
        entries.compactMap { entry in
            guard entry.position <= position, case .cloud(let change) = entry.event else { return nil }
            return change
        }
    }

    private func look(
        _ cloud: RecordedCloud, _ ledger: CrashLedger
    ) async throws -> (problems: [String], shown: [String: Int]) {
        let device = try PowerDevice(directory: directory, id: DeviceID(1), cloud: cloud)
        var found = try device.metadata.integrityProblems()
        var shown: [String: Int] = [:]
        var blobs: Set<BlobName> = []
        // The first 16,384 nodes; the tests create fewer.
        for shard in 0..<4 { blobs.formUnion(try device.content.blobs(inShard: shard)) }
        for item in try device.all() where item.kind == .file {
            let content = try await content(of: item, device, cloud, &blobs, &found)
            if !WorkingUser.foreignNames.contains("\(item.name)") {
                shown["\(item.name)"] = content
            } else if content == 0 {
                found.append("\(item.name) shows bytes that were never written")
            }
        }
        found += blobs.map { "blob \($0) belongs to nothing" } + ledger.problems(showing: shown)
        found += try await queueProblems(device, cloud)
        try await device.close()
        return (found, shown)
    }

    /// Returns the number of a file's content; nil if its bytes are not in the cloud yet.
    private func content(
        of item: LocalItem, _ device: PowerDevice, _ cloud: RecordedCloud, _ blobs: inout Set<BlobName>,
        _ found: inout [String]
    ) async throws -> Int? {
        let isHere = item.presence == .whole
        if item.presence != .none, blobs.remove(item.blob) == nil, item.size > 0 {
            // A never-synced file may have a name and no bytes; it then has an upload error.
            if item.uploadError == nil { found.append("\(item.name) has no blob") }
            return 0
        }
        if item.isEdited, item.pendingSince == nil { found.append("\(item.name) is edited and not pending") }
        if let reference = item.content, try await isMissing(reference, cloud) {
            found.append("\(item.name) counts as uploaded and is not in the cloud")
        }
        guard isHere else { return item.content.flatMap { known[$0] } }
        let bytes = item.size == 0 ? [] : try device.bytes(of: item)
        if bytes.count != item.size { found.append("\(item.name) has \(bytes.count) of \(item.size) bytes") }
        if let reference = item.content, reference != WrittenContent.reference(to: bytes) {
            found.append("\(item.name) is not what it is said to be")
        }
        return WrittenContent.number(of: bytes)
    }

    private func isMissing(_ reference: ContentReference, _ cloud: RecordedCloud) async throws -> Bool {
        guard let manifest = Manifest(within: reference) else { return false }
        return try await !cloud.missing(manifest.chunks.map(\.id), in: .cloudDocs).isEmpty
    }

    /// Checks that the device is not ahead of the log, and knows all of its own batches in the log.
    private func queueProblems(_ device: PowerDevice, _ cloud: RecordedCloud) async throws -> [String] {
        guard let container = try device.metadata.read({ try $0.container(named: .cloudDocs) }) else {
            return ["there is no container"]
        }
        guard try await cloud.containers().contains(.cloudDocs) else { return [] }
        let log = try await cloud.entries(in: .cloudDocs, after: LogSequence(0), limit: .max)
        guard container.sequence.value <= UInt64(log.count) else { return ["the cursor is past the end of the log"] }
        let outbox = try device.metadata.read { try $0.pending.batch(of: container.id) }?.payload
        let unknown = try log.dropFirst(Int(container.sequence.value)).filter { record in
            try ChangeBatch(decoding: record.payload).device == DeviceID(1) && record.payload != outbox
        }
        return unknown.map { "entry \($0.sequence) of the log is its own and it does not know it" }
    }
}
