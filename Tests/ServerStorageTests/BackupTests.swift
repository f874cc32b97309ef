import CloudModel
import CloudProtocol
import Foundation
import ServerStorage
import TestSupport
import Testing

@Suite("Backups of a server")
struct BackupTests {
    @Test(
        "a backup of a working server, restored, has what the server had, under another name", arguments: [true, false])
    func roundTrip(mayLink: Bool) async throws {
        try await withFolder { path in
            let (backup, other) = ("\(path)-backup", "\(path)-other")
            defer { for path in [backup, other] { try? FileManager.default.removeItem(atPath: path) } }
            let parts = (UInt64(1)...30).map { part($0, [UInt8](repeating: 7, count: Int($0))) }
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                try await store.put(parts, in: .cloudDocs, of: account)
                _ = try await store.append([1], key: nil, to: .cloudDocs, of: account)
                let first = try await store.backUp(to: backup, mayLink: mayLink)
                #expect(first.done == 30 && first.copied == 30 && first.lost == 0)
                _ = try await store.append([2], key: nil, to: .cloudDocs, of: account)
                try await store.put([part(99, [9])], in: .cloudDocs, of: account)
                let second = try await store.backUp(to: backup, mayLink: mayLink)
                #expect(second.done == 31 && second.copied == 1)
            }
            let outcome = try await ServerRestore(from: backup, to: other, mayLink: mayLink).run()
            #expect(outcome.done == 31 && outcome.lost == 0)
            try await withStore(at: other) { store in
                let account = AccountID(1)
                let isThere = try await store.holds(parts + [part(99, [9])], of: account)
                #expect(isThere)
                let page = try await store.page(of: .cloudDocs, after: .zero, limit: 9, account: account)
                #expect(page.payloads == [[1], [2]])
                let cloud = try await store.describeCloud(of: account)
                #expect(cloud.former?.count == 1 && cloud.former?[cloud.identity] == nil)
                #expect(cloud.former?.values.first == ["CloudDocs": 2])
            }
        }
    }

    @Test("a backup goes nowhere but to an empty directory or an earlier backup, a restore only to an empty one")
    func targets() async throws {
        try await withFolder { path in
            let backup = "\(path)-backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            try await withStore(at: path) { store in
                await #expect(throws: StorageError.self) { _ = try await store.backUp(to: path) }
                _ = try await store.backUp(to: backup)
            }
            await #expect { _ = try await ServerRestore(from: backup, to: path).run() } throws: {
                ($0 as? StorageError)?.code == .invalid
            }
            await #expect { _ = try await ServerRestore(from: "\(path)/chunks", to: "\(path)-none").run() } throws: {
                ($0 as? StorageError)?.code == .notFound
            }
        }
    }

    @Test("no server serves a directory whose restore was interrupted")
    func interrupted() async throws {
        try await withFolder { path in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: "\(path)/restoring"))
            #expect { _ = try ServerStore(path: path, serving: true, log: quiet) } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
        }
    }

    @Test("a chunk that the backup lacks counts as missing after the restore, so devices send it again")
    func lostChunk() async throws {
        try await withFolder { path in
            let (backup, other) = ("\(path)-backup", "\(path)-other")
            defer { for path in [backup, other] { try? FileManager.default.removeItem(atPath: path) } }
            let chunk = part(1, [1, 2, 3])
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                try await store.put([chunk], in: .cloudDocs, of: account)
                _ = try await store.backUp(to: backup)
            }
            try FileManager.default.removeItem(atPath: "\(backup)/chunks/1/01")
            #expect(try await ServerRestore(from: backup, to: other).run().lost == 1)
            try await withStore(at: other) { store in
                let missing = try await store.missing([chunk.id], in: .cloudDocs, of: AccountID(1))
                #expect(missing == [chunk.id])
            }
        }
    }

    @Test("a chunk that was collected leaves the backup with the next one, and not before that is whole")
    func superfluous() async throws {
        let time = SettableTime()
        try await withFolder { path in
            let backup = "\(path)-backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            try await withStore(at: path, time: time) { store in
                let account = try await store.newAccount("anna")
                try await store.put([part(1, [1, 2, 3])], in: .cloudDocs, of: account)
                _ = try await store.backUp(to: backup)
                time.advance(by: .seconds(100 * 86_400))
                #expect(try await store.collectNow().chunks == 1)
                let shard = "\(backup)/chunks/1/01"
                #expect(try FileManager.default.contentsOfDirectory(atPath: shard).count == 1)
                _ = try await store.backUp(to: backup)
                #expect(try FileManager.default.contentsOfDirectory(atPath: shard).isEmpty)
            }
        }
    }
}
