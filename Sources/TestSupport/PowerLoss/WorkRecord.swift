import Basics
import Chunking
import CloudModel
import Foundation
import Glibc
import Synchronization

/// A user action on documents, consisting of one or a few system calls. Contents are named by number.
enum Step: Codable, Equatable {
    /// Creates or truncates a file, writes all of it and closes it.
    case write(String, Int)
    /// The same, with an `fsync(2)` before the close.
    case save(String, Int)
    /// `fsync(2)` of the file.
    case sync(String)
    case rename(String, String)
    case remove(String)
    /// `fsync(2)` of the folder.
    case syncFolder
    /// Evicts the document's bytes, if the cloud has them.
    case evict(String)
}

/// A change in the cloud.
enum CloudChange: Codable {
    case container(String)
    case chunk([UInt8], Data, String)
    case entry(Data, String)
}

/// An event, recorded outside the crash disk.
enum WorkEvent: Codable {
    /// A process starts and shows these names with these contents; 0 stands for a content that was never written.
    case found([String: Int])
    case begins(Step)
    /// The last step begun was acknowledged.
    case done
    /// The last step begun was refused, and changed nothing.
    case refused
    case cloud(CloudChange)
    /// A remote device writes a content.
    case elsewhere(Int)
}

/// The record of acknowledgements: each event with the position of the disk's log before it.
final class WorkRecord: Sendable {
    struct Entry: Codable {
        let position: Int
        let event: WorkEvent
    }

    private let file: Mutex<Int32>
    private let log: String

    init(_ path: String, log: String) throws {
        file = Mutex(Int32(try check("open \(path)") { open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }))
        self.log = log
    }

    func note(_ event: WorkEvent) throws {
        try file.withLock { file in
            var status = stat()
            try check("stat \(log)") { stat(log, &status) }
            let entry = Entry(position: Int(status.st_size), event: event)
            let line = try Array(JSONEncoder().encode(entry)) + [UInt8(ascii: "\n")]
            try check("write") { write(file, line, line.count) }
        }
    }

    static func read(_ path: String) throws -> [Entry] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return try data.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Entry.self, from: $0) }
    }
}

/// Contents generated from their numbers, so parts of different contents are never confused.
enum WrittenContent {
    static func bytes(_ number: Int) -> [UInt8] {
        var random = SeededBytes(seed: UInt64(number))
        return withUnsafeBytes(of: UInt64(number)) { Array($0) } + random.next()
    }

    /// Returns the cloud's reference to bytes of at most one chunk.
    static func reference(to bytes: [UInt8]) -> ContentReference {
        Manifest(bytes.isEmpty ? [] : [ChunkEntry(id: .of(bytes), length: bytes.count)]).reference
    }

    /// Returns a content's number; 0 if the bytes are not a single complete content.
    static func number(of bytes: [UInt8]) -> Int {
        guard bytes.count >= 8 else { return 0 }
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        guard number > 0, number < 1 << 32 else { return 0 }
        return Self.bytes(Int(number)) == bytes ? Int(number) : 0
    }
}
