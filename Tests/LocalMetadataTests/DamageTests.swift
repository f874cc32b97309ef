import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import Foundation
import Logging
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Databases that this version cannot read")
struct DamageTests {
    private func code(opening path: String) -> MetadataError.Code? {
        do {
            try MetadataDatabase(path: path, log: Logger(label: "test")).close()
            return nil
        } catch { return (error as? MetadataError)?.code }
    }

    @Test("a database of a newer version is refused, each time")
    func newer() throws {
        let scratch = try Scratch()
        _ = try scratch.metadata.write {
            try $0.number("INSERT INTO grdb_migrations (identifier) VALUES ('v999') RETURNING 1")
        }
        try scratch.metadata.close()
        // Opens the database twice: the refusal must not change anything for the next attempt.
        for _ in 0..<2 { #expect(code(opening: scratch.path) == .tooNew) }
    }

    @Test("a file that is not a database is reported as damaged and not changed")
    func garbage() throws {
        let directory = NSTemporaryDirectory() + "/ubiquity-garbage-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let bytes = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try bytes.write(to: URL(filePath: directory + "/metadata.sqlite"))
        #expect(code(opening: directory + "/metadata.sqlite") == .damaged)
        #expect(FileManager.default.contents(atPath: directory + "/metadata.sqlite") == bytes)
    }

    @Test("a first start that a power cut interrupted is rolled back, and the next start succeeds")
    func halfMade() throws {
        let directory = NSTemporaryDirectory() + "/ubiquity-half-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/metadata.sqlite"
        // A process that dies in a transaction with some pages already in the file leaves its journal behind.
        let die = """
            PRAGMA cache_size = 1; CREATE TABLE half(text); BEGIN;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO half SELECT hex(randomblob(500)) FROM n;
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", path, die, ".shell kill -9 $PPID"]
        try process.run()
        process.waitUntilExit()
        try #require(FileManager.default.fileExists(atPath: path + "-journal"))
        #expect(code(opening: path) == nil)
    }

    @Test("columns of random bytes are decoded or refused, and never crash")
    func hostileColumns() {
        let start = UInt64.random(in: 0 ... .max)
        for seed in start..<(start &+ 20_000) {
            var random = SeededGenerator(seed: seed)
            var bytes = Data((0..<random.number(0..<80)).map { _ in UInt8(random.number(0..<256)) })
            if let first = bytes.indices.first, random.chance(70) { bytes[first] = UInt8(random.number(0..<4)) }
            // Throwing is right for most of these; a crash never is.
            _ = try? ExtendedAttributes.decode(bytes)
            _ = try? ConflictColumn.decode(bytes)
            _ = try? ItemID(data: bytes)
            _ = try? Digest(data: bytes)
        }
    }

    @Test(
        "impossible numbers are reported as damage before they are used",
        arguments: ["local SET size", "local SET generation", "container SET sequence"])
    func numbers(column: String) throws {
        let scratch = try Scratch()
        try scratch.metadata.write { transaction in
            _ = try transaction.createContainer(.cloudDocs, at: .zero)
            // The pragma returns no row; `number` runs it to its end.
            _ = try transaction.number("PRAGMA ignore_check_constraints = 1")
            _ = try transaction.number("UPDATE \(column) = -1")
        }
        let error = try #require(throws: MetadataError.self) {
            try scratch.metadata.read { transaction in
                _ = try transaction.local.items(after: NodeID(0), limit: 10)
                for container in try transaction.containers() {
                    _ = try transaction.remote(in: container.id).state().sequence.next
                }
            }
        }
        #expect(error.code == .damaged)
        // Sums are only shown to users, so the database may compute them from damaged rows.
        _ = try scratch.metadata.read { try ($0.local.totals(), $0.transfers.presentBytes()) }
    }

    @Test("sums of sizes are clamped instead of overflowing")
    func largeSizes() throws {
        let scratch = try Scratch()
        try scratch.metadata.write { transaction in
            _ = try transaction.createContainer(.cloudDocs, at: .zero)
            _ = try transaction.number(
                "UPDATE local SET size = \(Int64.max), pendingSince = 1, presence = 2, isEdited = 1")
        }
        let sums = try scratch.metadata.read {
            try [$0.local.totals().bytes, $0.transfers.presentBytes(), $0.pending.totals().bytes]
        }
        #expect(sums == [UInt64](repeating: UInt64(Int64.max), count: 3))
    }

    @Test("extended attributes and conflicts are decoded as they were stored")
    func roundTrip() throws {
        let attributes = ["user.a": [UInt8](), "user.b": [0, 255, 7]]
        #expect(try ExtendedAttributes.decode(ExtendedAttributes.encode(attributes)) == attributes)
        let conflict = ConflictVersion(
            version: VersionID(sequence: LogSequence(9), index: 2),
            content: .stored(ContentReference(digest: Digest(words: (1, 2, 3, 4)), size: 5, layout: .manifest)),
            modified: Timestamp(nanoseconds: -7), author: DeviceID(8), authorName: "über",
            base: Digest(words: (9, 9, 9, 9))
        )
        #expect(try ConflictColumn.decode(ConflictColumn.encode([conflict, conflict])) == [conflict, conflict])
    }
}
