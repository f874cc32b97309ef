import CloudModel
import CloudProtocol
import Foundation
import ServerSupport
import Testing

@testable import ServerStorage

@Suite("Checking a server's storage", .inFilesAndInABucket)
struct ServerCheckTests {
    private let time = SettableTime()

    private func withServer(
        isLarge: Bool = false, _ body: (ServerStore, _ path: String, FullServer) async throws -> Void
    ) async throws {
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                try await body(store, path, try await FullServer(in: store, time: time, isLarge: isLarge))
            }
        }
    }

    @Test("a server that has everything is whole, and a check or repair changes nothing", arguments: [true, false])
    func whole(reads: Bool) async throws {
        try await withServer { store, path, server in
            let before = try dump(path)
            for repairs in [false, true] {
                let report = try await store.checkStorage(CheckOptions(reads: reads, repairs: repairs))
                #expect(report.isWhole && report.findings.isEmpty && report.counts.isEmpty)
                #expect(report.chunks == server.parts.count && report.totalChunks == server.parts.count)
                #expect(report.entries == 21 && report.accounts == 2 && report.containers == 2)
                #expect(report.strays == 0 && report.awaitedChunks == 0)
                #expect((report.readBytes > 0) == reads)
            }
            #expect(try dump(path) == before)
        }
    }

    @Test("a chunk whose file is gone or has another size is found and named; a repair makes devices send it again")
    func lostChunks() async throws {
        try await withServer { store, path, server in
            let (gone, short) = (server.parts[3], server.parts[4])
            let frames = try Frames(at: path)
            try frames.set(frames.name(of: gone.id), nil)
            try frames.set(frames.name(of: short.id), [1])
            for reads in [false, true] {
                let report = try await store.checkStorage(CheckOptions(reads: reads))
                #expect(!report.isWhole && report.unrepaired == 2)
                #expect(Set(report.findings.map(\.what)) == ["\(gone.id)", "\(short.id)"])
                #expect(report.findings.allSatisfy { $0.kind == .lostChunk && $0.account == "anna" })
                #expect(report.findings.allSatisfy { $0.container == "CloudDocs" && !$0.isRepaired })
            }
            let repaired = try await store.checkStorage(CheckOptions(repairs: true))
            #expect(repaired.isWhole && repaired.findings.count == 2)
            let missing = try await store.chunks.missing(server.parts.map(\.id), in: .cloudDocs, of: server.account)
            #expect(Set(missing) == [gone.id, short.id])
            let later = try await store.checkStorage()
            #expect(later.isWhole && later.findings.isEmpty && later.awaitedChunks == 2)
            try await store.chunks.put([gone, short], in: .cloudDocs, of: server.account)
            let last = try await store.checkStorage(CheckOptions(reads: true))
            #expect(last.isWhole && last.awaitedChunks == 0)
        }
    }

    @Test("bytes that were changed on the disk are found by reading alone")
    func damagedChunks() async throws {
        try await withServer { store, path, server in
            let part = server.parts[5]
            let frames = try Frames(at: path)
            try frames.set(frames.name(of: part.id), part.frame.dropLast() + [part.frame[part.frame.count - 1] ^ 1])
            let quick = try await store.checkStorage()
            #expect(quick.isWhole)
            let report = try await store.checkStorage(CheckOptions(reads: true, repairs: true))
            #expect(report.findings.map(\.kind) == [.damagedChunk])
            let missing = try await store.chunks.missing([part.id], in: .cloudDocs, of: server.account)
            #expect(missing == [part.id])
        }
    }

    @Test(
        "a log that lacks an entry, or has entries beyond its end, is found and not repaired",
        arguments: [
            ("DELETE FROM entry WHERE sequence = 1", "entry 1 of 21 is missing"),
            ("DELETE FROM entry WHERE sequence = 10", "entry 10 of 21 is missing"),
            ("DELETE FROM entry WHERE sequence = 21", "entry 21 of 21 is missing"),
            ("DELETE FROM entry", "entry 1 of 21 is missing"),
            ("UPDATE container SET sequence = 30 WHERE sequence = 21", "entry 22 of 30 is missing"),
            ("UPDATE container SET sequence = 9 WHERE sequence = 21", "the log ends at 9, and has entries up to 21"),
        ])
    func logGaps(sql: String, text: String) async throws {
        try await withServer { store, _, _ in
            try await store.database.commit { try $0.execute(sql) }
            let report = try await store.checkStorage(CheckOptions(repairs: true))
            let gaps = report.findings.filter { $0.kind == .logGap }
            #expect(gaps.map(\.what) == [text])
            #expect(!report.isWhole && report.unrepaired == 1)
        }
    }

    @Test("sums that differ from what an account has are found, and corrected by a repair")
    func sums() async throws {
        try await withServer { store, path, _ in
            let before = try dump(path)
            try await store.database.commit { db in
                try db.execute("UPDATE account SET used = used + 5 WHERE name = 'anna'")
                try db.execute("UPDATE account SET keyValueBytes = 9 WHERE name = 'berta'")
            }
            let report = try await store.checkStorage()
            #expect(report.findings.map(\.kind) == [.wrongSum, .wrongSum])
            #expect(report.findings.map(\.account) == ["anna", "berta"])
            let repaired = try await store.checkStorage(CheckOptions(repairs: true))
            #expect(repaired.isWhole && repaired.counts == ["wrongSum": 2])
            #expect(try dump(path) == before)
        }
    }

    /// Creates two frames without a row: one no longer needed by any upload, and one of an upload in progress.
    private func makeStrays(_ store: ServerStore, _ path: String) async throws -> (old: String, new: String) {
        // The frames of the first epoch are settled from the next sweep on.
        _ = try await store.chunks.objects.beginSweep()
        let frames = try Frames(at: path)
        func name(_ digit: String, _ epoch: Int64?) -> String {
            let end = epoch.map { ".\(ObjectSuffix(epoch: $0, random: 5).text)" } ?? ""
            return "1/00/\(String(repeating: digit, count: 62))-3\(end)"
        }
        let epoch = try await store.database.read { try store.chunks.objects.epoch($0) }
        let names = (old: name("0", epoch.map { _ in 0 }), new: name("1", epoch))
        if epoch == nil {
            try FileManager.default.createDirectory(atPath: "\(path)/chunks/1/00", withIntermediateDirectories: true)
        }
        for name in [names.old, names.new] { try frames.set(name, [1, 2, 3]) }
        if epoch == nil {
            let past = Date(timeIntervalSinceNow: -2 * 86_400)
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: "\(path)/chunks/\(names.old)")
        }
        return names
    }

    @Test("frames without a row are counted, and a repair removes those that no upload can need any more")
    func strays() async throws {
        try await withServer { store, path, _ in
            let strays = try await makeStrays(store, path)
            let report = try await store.checkStorage()
            #expect(report.isWhole && report.strays == 2 && report.removedStrays == 0)
            let repaired = try await store.checkStorage(CheckOptions(repairs: true))
            #expect(repaired.isWhole && repaired.removedStrays == 1)
            let names = try Frames(at: path).names
            #expect(!names.contains(strays.old) && names.contains(strays.new))
        }
    }

    @Test("strays stay while a backup copies chunks")
    func backup() async throws {
        try await withServer { store, path, _ in
            let strays = try await makeStrays(store, path)
            let lock = try CopyLock.copying(store.directory)
            defer { lock.release() }
            let report = try await store.checkStorage(CheckOptions(repairs: true))
            #expect(report.gaveWay && report.removedStrays == 0)
            #expect(try Frames(at: path).names.contains(strays.old))
        }
    }

    @Test("a check beside uploads and collections finds nothing")
    func concurrent() async throws {
        try await withServer { store, _, server in
            let garbage = (UInt64(1_000)..<1_200).map { part($0, [UInt8](repeating: 2, count: Int($0))) }
            // A container with an empty log: nothing there is needed.
            let more = try ContainerName("more").orThrow()
            try await store.logs.createContainer(more, of: server.account)
            try await store.chunks.put(garbage, in: more, of: server.account)
            time.advance(by: .seconds(10 * 86_400))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in UInt64(1)...3 {
                    group.addTask {
                        for number in 0..<20 {
                            let id = worker * 100 + UInt64(number)
                            try await store.chunks.put(
                                [part(id, [UInt8](repeating: 1, count: Int(id)))], in: .cloudDocs, of: server.account)
                            _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: server.account)
                        }
                    }
                }
                group.addTask {
                    let collected = try await store.collectNow()
                    #expect(collected.chunks == garbage.count)
                }
                group.addTask {
                    for round in 0..<6 {
                        let report = try await store.checkStorage(CheckOptions(reads: round.isMultiple(of: 2)))
                        #expect(report.isWhole, "\(report.findings)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("all findings are counted and a hundred are named")
    func bounded() async throws {
        try await withServer(isLarge: true) { store, path, server in
            let frames = try Frames(at: path)
            for name in frames.names { try frames.set(name, nil) }
            let report = try await store.checkStorage()
            #expect(report.findings.count == StorageReport.maximumFindings)
            #expect(report.counts == ["lostChunk": server.parts.count])
        }
    }
}
