import Basics
import Foundation
import Glibc
import LocalContent
import LocalMetadata
import Logging

/// The disk of a device: a real database and real blobs. Devices of consecutive histories use the same folder, because preparing a database
/// costs more than a whole history.
final class SimulatedDisk {
    let directory: String
    let faults = Faults()
    private let log: Logger
    private var opened: (metadata: MetadataDatabase, content: ContentStore)?

    init(directory: String, log: Logger) throws {
        self.directory = directory
        self.log = log
        try check("mkdir \(directory)") { mkdir(directory, 0o700) }
    }

    /// Opens the database and the blobs, unless they are open.
    func open() throws -> (metadata: MetadataDatabase, content: ContentStore) {
        if let opened { return opened }
        let fresh = (
            metadata: try MetadataDatabase(path: "\(directory)/metadata.sqlite", log: log) { [faults] call in
                do throws(Errno) { try faults.pass(.database(call)) } catch {
                    throw MetadataError(error.code == ENOSPC ? .noSpace : .unusable, "\(error)")
                }
            },
            content: try ContentStore(directory: "\(directory)/content") { [faults] call throws(Errno) in
                try faults.pass(.content(call))
            }
        )
        opened = fresh
        return fresh
    }

    func close() throws {
        let metadata = opened?.metadata
        opened = nil
        try metadata?.close()
    }

    /// Replaces the state by a copy.
    func replace(by copy: StateCopy) throws {
        try close()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
        try copy.write(to: directory)
    }

    /// Removes everything kept here.
    func clear() throws {
        faults.end()
        let (metadata, content) = try open()
        try metadata.removeAll()
        for shard in try content.existingShards() {
            for blob in try content.blobs(inShard: shard) { try content.remove(blob) }
        }
    }
}
