import CloudModel
import CloudProtocol
import Foundation
import ServerStorage
import Testing

@Suite("Chunks of a server")
struct ChunkTests {
    @Test("what one account has is to others as if nobody had it")
    func isolation() async throws {
        try await withStore { store in
            let (anna, berta) = (try await store.newAccount("anna"), try await store.newAccount("berta"))
            let secret = part(1, Array("secret".utf8))
            try await store.put([secret], in: .cloudDocs, of: anna)
            #expect(try await store.missing([secret.id], in: .cloudDocs, of: berta) == [secret.id])
            #expect(try await store.place(of: secret.id, in: .cloudDocs, of: berta) == nil)
            // Putting it costs the same as if it were new.
            let before = try await store.space(of: berta)
            try await store.put([secret], in: .cloudDocs, of: berta)
            let after = try await store.accounts().first { $0.name == "berta" }
            #expect(after?.used == 6, "\(before)")
        }
    }

    @Test("the share is what is stored: a repeat is free, what does not fit changes nothing, a batch is all or none")
    func quota() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna", quota: 100)
            let forty = [UInt8](repeating: 1, count: 40)
            for _ in 0..<5 { try await store.put([part(1, forty)], in: .cloudDocs, of: account) }
            await #expect(throws: StorageError.self) {
                try await store.put([part(2, forty), part(3, forty)], in: .cloudDocs, of: account)
            }
            #expect(try await store.missing([part(2, []).id], in: .cloudDocs, of: account).count == 1)
            try await store.put([part(2, forty)], in: .cloudDocs, of: account)
            #expect(try await store.accounts().first?.used == 80)
            #expect(try await store.space(of: account) == SpaceAnswer(total: 100, free: 20))
        }
    }

    @Test("many at once can not have more than the share together")
    func concurrentQuota() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna", quota: 100)
            let stored = await withTaskGroup(of: Bool.self) { group in
                for number in UInt64(1)...30 {
                    group.addTask {
                        do {
                            try await store.put(
                                [part(number, [UInt8](repeating: 1, count: 10))], in: .cloudDocs, of: account)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(stored == 10)
            #expect(try await store.accounts().first?.used == 100)
        }
    }

    @Test("a chunk that was found damaged is missing until it is put again, and then has the new bytes")
    func distrust() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let (bad, good) = (part(1, [1, 2, 3]), part(1, [4, 5]))
            try await store.put([bad], in: .cloudDocs, of: account)
            try await store.put([good], in: .cloudDocs, of: account)
            let kept = try #require(try await store.place(of: bad.id, in: .cloudDocs, of: account))
            #expect(try await store.read(kept, 0..<kept.size) == bad.frame)
            try await store.distrust([bad.id], in: .cloudDocs, of: account)
            #expect(try await store.missing([bad.id], in: .cloudDocs, of: account) == [bad.id])
            try await store.put([good], in: .cloudDocs, of: account)
            let place = try #require(try await store.place(of: bad.id, in: .cloudDocs, of: account))
            #expect(try await store.read(place, 0..<place.size) == good.frame)
            #expect(try await store.missing([bad.id], in: .cloudDocs, of: account).isEmpty)
            #expect(try await store.accounts().first?.used == 2)
        }
    }

    @Test("a file that is gone is no chunk, one that was cut is damaged")
    func lostFiles() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                let whole = part(1, [1, 2, 3])
                try await store.put([whole], in: .cloudDocs, of: account)
                let place = try #require(try await store.place(of: whole.id, in: .cloudDocs, of: account))
                let file = "\(path)/chunks/\(place.container)/01/\(whole.id.description.dropFirst(2))-3"
                try Data([1]).write(to: URL(filePath: file))
                await #expect(throws: StorageError.self) { try await store.read(place, 0..<3) }
                try FileManager.default.removeItem(atPath: file)
                #expect(try await store.read(place, 0..<3) == nil)
            }
        }
    }

    @Test("a part of a frame can be read")
    func range() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            try await store.put([part(1, Array(0..<100))], in: .cloudDocs, of: account)
            let place = try #require(try await store.place(of: part(1, []).id, in: .cloudDocs, of: account))
            #expect(try await store.read(place, 10..<20) == Array(10..<20))
            #expect(try await store.read(place, 100..<100) == [])
        }
    }
}
