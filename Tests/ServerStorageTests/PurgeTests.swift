import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Removal for good", .eachEngine, .inFilesAndInABucket)
struct PurgeTests {
    /// A document, its dependencies, and those of a second document in the same account.
    private struct Scene {
        let store: ServerStore
        let time: SettableTime
        var documents: Documents

        func used() async throws -> UInt64 { try await store.accounts.use(of: documents.account).used }

        /// Creates a document with new bytes.
        mutating func document(chunks: Int = 3) async throws -> (
            item: ItemID, reference: ContentReference, parts: [ChunkBatch.Part]
        ) {
            let content = documents.content(chunks: chunks)
            try await documents.put(content.parts)
            return (try await documents.create(content.reference), content.reference, content.parts)
        }

        mutating func delete(_ item: ItemID) async throws {
            try await documents.append([.delete(item, base: documents.tree.item(item)?.body.content?.reference?.digest)]
            )
        }

        /// Removes a deleted document for good, and lets the server follow.
        mutating func purge(_ item: ItemID, _ more: [VersionID] = []) async throws {
            let version = try #require(documents.tree.item(item)?.version)
            try await documents.append([.resolve(item, versions: more + [version])])
            let report = try await store.collectRequested(.standard)
            #expect(report.skipped.isEmpty, "\(report.skipped)")
        }
    }

    private func withScene(seed: UInt64, _ body: (inout Scene) async throws -> Void) async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            var scene = Scene(
                store: store, time: time, documents: Documents(store, try await store.newAccount("anna"), seed: seed))
            try await body(&scene)
        }
    }

    @Test("a document that was removed for good frees its bytes and its quota immediately, without any time passing")
    func immediately() async throws {
        try await withScene(seed: 1) { scene in
            let kept = try await scene.document()
            let before = try await scene.used()
            let gone = try await scene.document(chunks: 5)
            try await scene.delete(gone.item)
            #expect(try await scene.store.collectRequested(.standard).chunks == 0, "a deletion alone frees nothing")
            #expect(try await scene.store.holds(gone.parts, of: scene.documents.account))
            try await scene.purge(gone.item)
            for part in gone.parts {
                #expect(
                    try await scene.store.chunks.place(of: part.id, in: .cloudDocs, of: scene.documents.account) == nil)
            }
            #expect(try await scene.store.holds(kept.parts, of: scene.documents.account))
            // Three entries of the log remain: the creation, the deletion and the removal.
            #expect(try await scene.used() < before + 3 * 700)
        }
    }

    @Test("earlier versions go with the document that had them if they are named, and stay otherwise")
    func versions() async throws {
        try await withScene(seed: 2) { scene in
            let document = try await scene.document()
            let first = try #require(scene.documents.tree.item(document.item)?.version)
            let second = scene.documents.content(chunks: 2)
            try await scene.documents.put(second.parts)
            try await scene.documents.append([
                .edit(
                    document.item, base: document.reference.digest, content: .stored(second.reference), modified: .zero)
            ])
            try await scene.delete(document.item)
            try await scene.purge(document.item)
            #expect(try await scene.store.holds(document.parts, of: scene.documents.account))
            try await scene.purge(document.item, [first])
            #expect(try await !scene.store.holds(document.parts, of: scene.documents.account))
        }
    }

    @Test("bytes that another document, another deleted document or a link needs stay")
    func shared() async throws {
        try await withScene(seed: 3) { scene in
            let one = try await scene.document()
            let copy = try await scene.documents.create(one.reference)
            try await scene.delete(one.item)
            try await scene.purge(one.item)
            #expect(try await scene.store.holds(one.parts, of: scene.documents.account), "a document has them")
            let other = try await scene.documents.create(one.reference)
            try await scene.delete(copy)
            try await scene.delete(other)
            try await scene.purge(copy)
            #expect(try await scene.store.holds(one.parts, of: scene.documents.account), "a deleted document has them")
            var random = SystemRandomNumberGenerator()
            _ = try await scene.store.links.add(
                LinkToken.random(using: &random), to: one.reference, name: try ItemName("a"), in: .cloudDocs,
                of: scene.documents.account, lifetime: .seconds(86_400), password: nil)
            try await scene.purge(other)
            #expect(try await scene.store.holds(one.parts, of: scene.documents.account), "a link serves them")
            scene.time.advance(by: .seconds(10 * 86_400))
            #expect(try await scene.store.collectNow().chunks == one.parts.count)
        }
    }

    @Test(
        "a conflict version that became a document when its document was deleted stays when that one is removed for good"
    )
    func heir() async throws {
        try await withScene(seed: 4) { scene in
            let document = try await scene.document()
            let stale = scene.documents.content(chunks: 2)
            try await scene.documents.put(stale.parts)
            try await scene.documents.append(
                [.edit(document.item, base: .zero, content: .stored(stale.reference), modified: .zero)], device: 2)
            try await scene.delete(document.item)
            let heir = try #require(
                scene.documents.tree.allItems.first { !$0.isDeleted && $0.body.content != nil })
            try await scene.purge(document.item)
            let content = try #require(heir.body.content?.reference)
            #expect(scene.documents.needed == [content])
            try await scene.delete(heir.id)
            try await scene.purge(heir.id)
            #expect(try await !scene.store.holds(document.parts, of: scene.documents.account))
            #expect(try await !scene.store.holds(stale.parts, of: scene.documents.account))
        }
    }

    @Test("an edit that did not know of the removal brings the document back with its bytes")
    func crossing() async throws {
        try await withScene(seed: 5) { scene in
            let document = try await scene.document()
            try await scene.delete(document.item)
            let edit = scene.documents.content(chunks: 2)
            try await scene.documents.put(edit.parts)
            try await scene.purge(document.item)
            try await scene.documents.append(
                [
                    .edit(
                        document.item, base: document.reference.digest, content: .stored(edit.reference),
                        modified: .zero)
                ],
                device: 2)
            #expect(scene.documents.tree.item(document.item)?.isDeleted == false)
            scene.time.advance(by: .seconds(90 * 86_400))
            _ = try await scene.store.collectNow()
            #expect(try await scene.store.holds(edit.parts, of: scene.documents.account))
        }
    }

    @Test("an upload that relies on bytes that were here is refused once they are gone, until it has put them again")
    func asked() async throws {
        try await withScene(seed: 6) { scene in
            let document = try await scene.document()
            try await scene.delete(document.item)
            let account = scene.documents.account
            let ids = document.parts.map(\.id)
            #expect(try await scene.store.chunks.missing(ids, in: .cloudDocs, of: account).isEmpty)
            try await scene.purge(document.item)
            await #expect { _ = try await scene.documents.create(document.reference) } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
            try await scene.documents.put(document.parts)
            _ = try await scene.documents.create(document.reference)
            #expect(try await scene.store.holds(document.parts, of: account))
        }
    }

    @Test("concurrent appends of removed bytes either keep them or are refused, never more")
    func race() async throws {
        for seed in UInt64(10)..<22 {
            try await withScene(seed: seed) { scene in
                let document = try await scene.document(chunks: 2)
                try await scene.delete(document.item)
                let version = try #require(scene.documents.tree.item(document.item)?.version)
                try await scene.documents.append([.resolve(document.item, versions: [version])])
                let store = scene.store
                let account = scene.documents.account
                let batch = ChangeBatch(
                    device: DeviceID(9), deviceName: "d9", deviceSequence: 1, time: .zero,
                    changes: [
                        .create(
                            ItemID(high: 1, low: seed), parent: .documents, name: try ItemName("again"),
                            attributes: ItemAttributes(permissions: 0o644, modified: .zero, created: .zero),
                            body: .file(.stored(document.reference)))
                    ])
                let payload = try batch.encoded()
                async let collected = store.collectRequested(.standard)
                let appended: Bool
                do {
                    _ = try await store.logs.append(payload, key: nil, to: .cloudDocs, of: account)
                    appended = true
                } catch let error as StorageError where error.code == .damaged { appended = false }
                _ = try await collected
                #expect(try await store.holds(document.parts, of: account) == appended)
            }
        }
    }
}
