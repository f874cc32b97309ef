import Basics
import CloudModel
import Foundation
import GRDB
import Logging
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("The write-ahead log, checked before SQLite reads it")
struct WriteAheadLogTests {
    /// Returns a log of many commits as a dying process leaves it.
    private func log() throws -> Data {
        let scratch = try Scratch()
        for number in 0..<20 { try scratch.metadata.write { try $0.setSetting("key \(number)", Data(count: 300)) } }
        return try Data(contentsOf: URL(filePath: scratch.path + "-wal"))
    }

    private func isDamaged(_ bytes: Data) throws -> Bool {
        let path = NSTemporaryDirectory() + "/ubiquity-wal-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try bytes.write(to: URL(filePath: path))
        return WriteAheadLog.isDamaged(path)
    }

    @Test("a complete log, one with a torn end, and an absent one are not damage")
    func whole() throws {
        let log = try log()
        #expect(try !isDamaged(log) && !isDamaged(Data()))
        #expect(!WriteAheadLog.isDamaged("/nonexistent"))
        let frame = 24 + 4096
        #expect(log.count > 32 + 6 * frame)
        for cut in [1, 100, frame, frame + 8, 3 * frame - 5] { #expect(try !isDamaged(log.dropLast(cut))) }
        var torn = log
        torn.replaceSubrange((torn.count - 2000)..., with: Data(count: 2000))
        #expect(try !isDamaged(torn))
    }

    /// The log after a process died in a long commit, or its disk failed the commit, and a shorter commit was written in its place.
    @Test("an unfinished longer commit after the last one is not damage; a finished one is")
    func givenUp() throws {
        let scratch = try Scratch()
        try scratch.metadata.write { try $0.setSetting("key", Data(count: 300)) }
        let copy = scratch.path + "-copy"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scratch.path + suffix, toPath: copy + suffix)
        }
        try scratch.metadata.write { try $0.setSetting("long", Data(count: 100_000)) }
        let long = try Data(contentsOf: URL(filePath: scratch.path + "-wal"))
        var configuration = Configuration()
        configuration.prepareDatabase { try RowSeal.register(in: $0) }
        let queue = try DatabaseQueue(path: copy, configuration: configuration)
        try queue.write { try $0.execute(sql: "UPDATE sqlite_sequence SET seq = seq + 1") }
        let short = try Data(contentsOf: URL(filePath: copy + "-wal"))
        let frame = 24 + 4096
        #expect(short.count + 2 * frame < long.count)
        #expect(try !isDamaged(short + long[short.count..<(long.count - frame)]))
        #expect(try isDamaged(short + long[short.count...]))
        try queue.close()
    }

    @Test("the log of a process that died is restarted by the next process")
    func restarted() throws {
        let scratch = try Scratch()
        try scratch.metadata.write { try $0.setSetting("key", Data(count: 300)) }
        let path = scratch.path + "-copy"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scratch.path + suffix, toPath: path + suffix)
        }
        let next = try MetadataDatabase(path: path, log: Logger(label: "test"))
        #expect(try next.read { try $0.setting("key") } == Data(count: 300))
        let before = try Data(contentsOf: URL(filePath: path + "-wal"))
        try next.write { try $0.setSetting("other", Data(count: 300)) }
        let after = try Data(contentsOf: URL(filePath: path + "-wal"))
        // A new log has different salts in its header (sqlite.org/fileformat2.html, section 4.1).
        #expect(before[16..<24] != after[16..<24] && !WriteAheadLog.isDamaged(path + "-wal"))
        try next.close()
    }

    @Test("any flipped byte before the last frame is damage")
    func flipped() throws {
        let log = try log()
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var damaged = log
            let place = random.number(0..<(log.count - 24 - 4096))
            damaged[place] ^= UInt8(random.number(1..<256))
            #expect(try isDamaged(damaged), "seed \(seed), byte \(place)")
        }
    }

    @Test("a database that lost commits is not opened, and not changed, but its rows can still be read one by one")
    func refused() throws {
        let scratch = try Scratch()
        _ = try scratch.metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        for number in 0..<20 { try scratch.metadata.write { try $0.setSetting("key \(number)", Data(count: 300)) } }
        let path = scratch.path + "-copy"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scratch.path + suffix, toPath: path + suffix)
        }
        var log = try Data(contentsOf: URL(filePath: path + "-wal"))
        log[log.count - 3 * 4120] ^= 1
        try log.write(to: URL(filePath: path + "-wal"))
        for _ in 0..<2 {
            let error = #expect(throws: MetadataError.self) {
                try MetadataDatabase(path: path, log: Logger(label: "test"))
            }
            #expect(error?.code == .damaged)
            #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
        }
        let rows = SalvagedRows(path: path)
        let node = try #require(rows.nodes().first)
        #expect(rows.item(node) != nil && !rows.isSound(node))
    }

    @Test("a database with a reader that does not finish is closed with its log if permitted, and loses nothing")
    func busyReader() throws {
        let scratch = try Scratch()
        try scratch.metadata.write { try $0.setSetting("before", .init([1])) }
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try DatabaseQueue(path: scratch.path, configuration: configuration)
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN; SELECT * FROM setting")
            try scratch.metadata.write { try $0.setSetting("after", .init([2])) }
            #expect(throws: MetadataError.self) { try scratch.metadata.closeWhole() }
            try scratch.metadata.closeWhole(toleratingReaders: true)
            try db.execute(sql: "COMMIT")
        }
        try reader.close()
        let next = try MetadataDatabase(path: scratch.path, log: Logger(label: "test"))
        let values = try next.read { (try $0.setting("before"), try $0.setting("after")) }
        #expect(values == (.init([1]), .init([2])))
        try next.close()
    }
}
