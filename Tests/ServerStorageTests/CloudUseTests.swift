import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("What uses the space of an account", .eachEngine, .inFilesAndInABucket)
struct CloudUseTests {
    private func cost(_ parts: [ChunkBatch.Part]) -> UInt64 {
        parts.reduce(0) { $0 + UInt64(StorageCost.chunk($1.frame.count)) }
    }

    @Test("each byte that the quota counts is shown once, by what needs it first, and the sum is what the quota counts")
    func parts() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna", quota: 1 << 30)
            var documents = Documents(store, account, seed: 1)
            func report() async throws -> CloudUseReport { try await store.use(of: account) }
            #expect(try await report() == CloudUseReport(parts: CloudUse(), counted: 0, quota: 1 << 30))

            let one = documents.content(chunks: 3)
            try await documents.put(one.parts)
            var parts = try await report().parts
            #expect(parts.unnamed == cost(one.parts) && parts.documents == 0)
            let first = try await documents.create(one.reference)
            parts = try await report().parts
            #expect(parts.documents == cost(one.parts) && parts.unnamed == 0 && parts.shared == 0)
            #expect(parts.log > 0)
            let copy = try await documents.create(one.reference)
            parts = try await report().parts
            #expect(parts.documents == cost(one.parts) && parts.shared == parts.documents)

            let two = documents.content(chunks: 1)
            try await documents.put(two.parts)
            let edit = Change.edit(
                first, base: one.reference.digest, content: .stored(two.reference), modified: .zero)
            try await documents.append([edit])
            parts = try await report().parts
            #expect(parts.versions == 0, "the earlier version is what the copy has")
            #expect(parts.documents == cost(one.parts) + cost(two.parts))
            try await documents.append([.delete(copy, base: one.reference.digest)])
            parts = try await report().parts
            #expect(parts.versions == cost(one.parts) && parts.documents == cost(two.parts) && parts.deleted == 0)
            try await documents.append([.delete(first, base: two.reference.digest)])
            parts = try await report().parts
            #expect(parts.deleted == cost(one.parts) + cost(two.parts) && parts.documents == 0)

            var random = SystemRandomNumberGenerator()
            _ = try await store.links.add(
                LinkToken.random(using: &random), to: two.reference, name: try ItemName("a"), in: .cloudDocs,
                of: account, lifetime: .seconds(86_400), password: nil)
            #expect(try await report().parts.links == UInt64(StorageCost.link))
            let last = try await report()
            #expect(last.parts.total == last.counted && last.quota == 1 << 30)
            #expect(try await store.use(of: account, in: .cloudDocs) == last)
        }
    }
}
