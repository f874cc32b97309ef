import CloudModel
import CloudProtocol
import Cryptography
import Foundation
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Backups of a server")
struct BackupTests {
    @Test(
        "a restored backup of a running server has the server's data, under another identity", arguments: [true, false])
    func roundTrip(mayLink: Bool) async throws {
        try await withFolder { path in
            let (backup, other) = ("\(path)-backup", "\(path)-other")
            defer { for path in [backup, other] { try? FileManager.default.removeItem(atPath: path) } }
            let parts = (UInt64(1)...30).map { part($0, [UInt8](repeating: 7, count: Int($0))) }
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                try await store.chunks.put(parts, in: .cloudDocs, of: account)
                _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
                let first = try await store.backUp(to: backup, mayLink: mayLink)
                #expect(first.done == 30 && first.copied == 30 && first.lost == 0)
                _ = try await store.logs.append([2], key: nil, to: .cloudDocs, of: account)
                try await store.chunks.put([part(99, [9])], in: .cloudDocs, of: account)
                let second = try await store.backUp(to: backup, mayLink: mayLink)
                #expect(second.done == 31 && second.copied == 1)
            }
            let outcome = try await ServerRestore(from: backup, to: other, mayLink: mayLink).run()
            #expect(outcome.done == 31 && outcome.lost == 0)
            try await withStore(at: other) { store in
                let account = AccountID(1)
                let isThere = try await store.holds(parts + [part(99, [9])], of: account)
                #expect(isThere)
                let page = try await store.logs.page(of: .cloudDocs, after: .zero, limit: 9, account: account)
                #expect(page.payloads == [[1], [2]])
                // A device that has read no more than the backup has continues, and others notice that they have.
                let end = LogPosition.start.following([1]).following([2])
                #expect(
                    try await store.logs.page(of: .cloudDocs, after: end, limit: 9, account: account).payloads.isEmpty)
                await #expect {
                    _ = try await store.logs.page(
                        of: .cloudDocs, after: end.following([3]), limit: 9, account: account)
                } throws: {
                    ($0 as? StorageError)?.code == .diverged
                }
            }
        }
    }

    @Test("a backup is written only to an empty directory or an earlier backup, a restore only to an empty directory")
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

    @Test("a chunk that the backup lacks is missing after the restore, so devices upload it again")
    func lostChunk() async throws {
        try await withFolder { path in
            let (backup, other) = ("\(path)-backup", "\(path)-other")
            defer { for path in [backup, other] { try? FileManager.default.removeItem(atPath: path) } }
            let chunk = part(1, [1, 2, 3])
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                try await store.chunks.put([chunk], in: .cloudDocs, of: account)
                _ = try await store.backUp(to: backup)
            }
            try FileManager.default.removeItem(atPath: "\(backup)/chunks/1/01")
            #expect(try await ServerRestore(from: backup, to: other).run().lost == 1)
            try await withStore(at: other) { store in
                let missing = try await store.chunks.missing([chunk.id], in: .cloudDocs, of: AccountID(1))
                #expect(missing == [chunk.id])
            }
        }
    }

    @Test("a collected chunk is removed from the backup by the next one, and not before that is complete")
    func superfluous() async throws {
        let time = SettableTime()
        try await withFolder { path in
            let backup = "\(path)-backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            try await withStore(at: path, time: time) { store in
                let account = try await store.newAccount("anna")
                try await store.chunks.put([part(1, [1, 2, 3])], in: .cloudDocs, of: account)
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

    @Test(
        "a backup does not replace that of another server, nor does an empty server's replace one with accounts, unless forced"
    )
    func otherServer() async throws {
        try await withFolder { path in
            let (backup, other) = ("\(path)-backup", "\(path)-other")
            defer { for path in [backup, other] { try? FileManager.default.removeItem(atPath: path) } }
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                try await store.chunks.put([part(1, [1])], in: .cloudDocs, of: account)
                _ = try await store.backUp(to: backup)
            }
            try await withStore(at: other) { store in
                await #expect { _ = try await store.backUp(to: backup) } throws: {
                    ($0 as? StorageError)?.code == .invalid
                }
                // An account of the same name is not the same account.
                _ = try await store.newAccount("anna")
                await #expect { _ = try await store.backUp(to: backup) } throws: {
                    ($0 as? StorageError)?.code == .invalid
                }
            }
            try await withStore(at: path) { store in
                let outcome = try await store.backUp(to: backup)
                #expect(outcome.done == 1)
            }
            try await withStore(at: other) { store in
                let outcome = try await store.backUp(to: backup, force: true)
                #expect(outcome.done == 0)
            }
        }
    }

    @Test("a restored server may continue the backup that it was restored from")
    func ownBackup() async throws {
        try await withFolder { path in
            let (backup, other) = ("\(path)-backup", "\(path)-other")
            defer { for path in [backup, other] { try? FileManager.default.removeItem(atPath: path) } }
            try await withStore(at: path) { store in
                _ = try await store.newAccount("anna")
                _ = try await store.backUp(to: backup)
            }
            _ = try await ServerRestore(from: backup, to: other).run()
            try await withStore(at: other) { store in _ = try await store.backUp(to: backup) }
        }
    }

    @Test("a backup is not replaced by an earlier state of its server, nor by one that has grown since, without force")
    func olderServer() async throws {
        try await withFolder { path in
            let (backup, copy) = ("\(path)-backup", "\(path)-copy")
            defer { for path in [backup, copy] { try? FileManager.default.removeItem(atPath: path) } }
            let account = try await withResult(at: path) { store in
                let account = try await store.newAccount("anna")
                _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
                return account
            }
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try await withStore(at: path) { store in
                _ = try await store.logs.append([2], key: nil, to: .cloudDocs, of: account)
                _ = try await store.backUp(to: backup)
                _ = try await store.logs.append([3], key: nil, to: .cloudDocs, of: account)
                _ = try await store.backUp(to: backup)
            }
            try await withStore(at: copy) { store in
                for payload: [UInt8] in [[8], [9], [10]] {
                    await #expect {
                        _ = try await store.backUp(to: backup)
                    } throws: {
                        let error = $0 as? StorageError
                        return error?.code == .diverged && error?.message.contains("anna/CloudDocs, up to 3") ?? false
                    }
                    _ = try await store.logs.append(payload, key: nil, to: .cloudDocs, of: account)
                }
                // A removed container is no sign.
                try await store.removeContainer(.cloudDocs, ofAccount: "anna")
                _ = try await store.backUp(to: backup)
            }
            try await withStore(at: path) { store in
                _ = try await store.backUp(to: backup, force: true)
                _ = try await store.backUp(to: backup)
            }
        }
    }

    private func withResult<T>(at path: String, _ body: (ServerStore) async throws -> T) async throws -> T {
        var result: T?
        try await withStore(at: path) { result = try await body($0) }
        return try #require(result)
    }

    @Test("a directory that other users can enter is closed when a server or a backup uses it")
    func closedToOthers() async throws {
        try await withFolder { path in
            let backup = "\(path)-backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            for folder in [path, backup] {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            }
            try await withStore(at: path) { store in _ = try await store.backUp(to: backup) }
            for folder in [path, backup] {
                let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
                #expect(mode == 0o700)
            }
        }
    }

    @Test(
        "a directory that is not a server's is refused, and a missing one is created only where that was requested"
    )
    func creation() async throws {
        try await withFolder { path in
            func open(mayCreate: Bool) throws {
                _ = try ServerStore(path: path, serving: false, mayCreate: mayCreate, log: quiet)
            }
            #expect { () throws in try open(mayCreate: false) } throws: { ($0 as? StorageError)?.code == .notFound }
            #expect(!FileManager.default.fileExists(atPath: path))
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data("text".utf8).write(to: URL(filePath: "\(path)/letter.txt"))
            #expect { () throws in try open(mayCreate: true) } throws: { ($0 as? StorageError)?.code == .invalid }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["letter.txt"])
        }
    }
}
