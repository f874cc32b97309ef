import Basics
import CloudModel
import ContainerLog
import Foundation
import GRDB
import Logging
import Synchronization

@testable import LocalMetadata

/// Real database files: of this format, of the first format, and of an unknown newer format.
enum DatabaseImages {
    static let shared = Result { try [make { _ in }, make(age), make(rejuvenate)] }

    private static let number = Atomic<UInt64>(0)
    /// A folder of this process, in memory if available. Nothing of a killed process may stand beside a file.
    private static let folder: String = {
        var template = Array(
            "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory())/ubiquity-fuzz-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary folder")
        return String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    }()

    /// Calls `body` with the path of a file with these bytes, then removes it and SQLite's files beside it.
    static func withFile<T>(_ bytes: [UInt8], _ body: (String) throws -> T) throws -> T {
        let path = "\(folder)/\(number.add(1, ordering: .relaxed).newValue).sqlite"
        defer {
            for suffix in ["", "-wal", "-shm", "-reserve"] + (1...4).map({ "-reserve-shm\($0)" }) {
                unlink(path + suffix)
            }
        }
        if !bytes.isEmpty { try Data(bytes).write(to: URL(filePath: path)) }
        return try body(path)
    }

    private static func make(_ change: @escaping (DatabaseQueue) throws -> Void) throws -> [UInt8] {
        try withFile([]) { path in
            let metadata = try MetadataDatabase(path: path, log: Logger(label: "fuzz"))
            try metadata.write(fill)
            try metadata.closeWhole()
            let queue = try DatabaseQueue(path: path)
            try change(queue)
            try queue.close()
            return Array(try Data(contentsOf: URL(filePath: path)))
        }
    }

    /// Fills a small tree with some rows of every kind.
    private static func fill(_ transaction: MetadataTransaction) throws {
        let now = Timestamp(seconds: 1_760_000_000)
        let container = try transaction.createContainer(.cloudDocs, at: now)
        var tree = transaction.remote(in: container)
        for batch in [try EntrySamples.first, EntrySamples.second] {
            _ = try ContainerReducer().fold(batch, at: LogPosition(tree.state().sequence.next, nil), into: &tree)
        }
        guard let documents = try transaction.local.item(.documents, in: container) else { return }
        for number in 0..<12 {
            var item = LocalItem(
                container: container, item: ItemID(high: 1 << 63, low: UInt64(number + 2)), parent: documents.node,
                name: try ItemName("document \(number)"), kind: number == 5 ? .symlink : .file,
                attributes: ItemAttributes(
                    permissions: 0o644, modified: now, created: now, extended: ["user.tag": [UInt8(number)]]),
                changed: now)
            item.size = UInt64(number * 1000)
            item.presence = number % 3 == 0 ? .whole : .none
            item.pendingSince = number % 4 == 0 ? now : nil
            item.wanted = UInt8(number)
            try transaction.local.insert(item)
        }
        try transaction.pending.setBatch(
            try EntrySamples.third.encoded(), of: BatchAuthor(device: DeviceID(7), number: 2), in: container)
    }

    private static func age(_ queue: DatabaseQueue) throws {
        try queue.write { try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier <> 'v1'") }
    }

    private static func rejuvenate(_ queue: DatabaseQueue) throws {
        try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('v999')") }
    }
}
