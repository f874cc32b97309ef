import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import Foundation
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Chunk collection, against a model", .eachEngine, .inFilesAndInABucket, .timeLimit(.minutes(10)))
struct CollectionModelTests {
    /// A stored content, kept in any case until a day counted from the start.
    private struct Known {
        let reference: ContentReference
        let parts: [ChunkBatch.Part]
        var staysUntil: Int
    }

    private let policy = CollectionPolicy.standard

    @Test(
        "whatever devices do, chunks that are needed, were released recently or are expected by an upload stay, and all others are removed",
        arguments: (UInt64(1)...6).map { $0 } + [UInt64.random(in: 1_000 ... .max)])
    func model(seed: UInt64) async throws {
        print("seed \(seed)")
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                let account = try await store.newAccount("anna")
                var random = SeededGenerator(seed: seed)
                var documents = Documents(store, account, seed: seed)
                var known: [Known] = []
                var items: [ItemID] = []
                var day = 0
                for _ in 0..<90 {
                    let before = documents.needed
                    switch random.number(0..<10) {
                    case 0...2:
                        let content = documents.content(chunks: random.number(1..<4))
                        try await documents.put(content.parts)
                        known.append(
                            Known(reference: content.reference, parts: content.parts, staysUntil: day + 1))
                        if random.chance(70) { items.append(try await documents.create(content.reference)) }
                    case 3...5:
                        let content = documents.content(chunks: random.number(1..<4))
                        guard let item = random.pick(items) else { continue }
                        try await documents.put(content.parts)
                        known.append(
                            Known(reference: content.reference, parts: content.parts, staysUntil: day + 1))
                        let current = documents.tree.item(item)?.body.content?.reference?.digest
                        // An edit with a stale base creates a conflict.
                        let base = random.chance(60) ? current : random.pick(known)?.reference.digest
                        try await documents.append(
                            [.edit(item, base: base, content: .stored(content.reference), modified: .zero)],
                            device: UInt64(random.number(1..<4)))
                    case 6:
                        guard let item = random.pick(items) else { continue }
                        let conflicts = documents.tree.item(item)?.conflicts.map(\.version) ?? []
                        try await documents.append(
                            conflicts.isEmpty
                                ? [.delete(item, base: documents.tree.item(item)?.body.content?.reference?.digest)]
                                : [.resolve(item, versions: conflicts)])
                    case 7...8:
                        let days = random.number(1..<20)
                        day += days
                        time.advance(by: .seconds(days * 86_400))
                    default:
                        let report = try await store.collectNow(policy)
                        #expect(report.skipped.isEmpty, "\(report.skipped)")
                        try await expectKept(known, documents, day)
                    }
                    let given = before.subtracting(documents.needed)
                    for index in known.indices where given.contains(known[index].reference) {
                        known[index].staysUntil = max(known[index].staysUntil, day + 30)
                    }
                }
                time.advance(by: .seconds(40 * 86_400))
                _ = try await store.collectNow(policy)
                try await expectKept(known, documents, day + 40)
                try await expectNothingElse(known, documents, at: path)
            }
        }
    }

    private func expectKept(_ known: [Known], _ documents: Documents, _ day: Int) async throws {
        let needed = documents.needed
        for content in known where needed.contains(content.reference) || day < content.staysUntil {
            let isThere = try await documents.store.holds(content.parts, of: documents.account)
            #expect(isThere, "\(content.reference) on day \(day)")
        }
    }

    private func expectNothingElse(_ known: [Known], _ documents: Documents, at path: String) async throws {
        let needed = documents.needed
        let parts = known.filter { needed.contains($0.reference) }.flatMap(\.parts)
        let expected = Set(parts.map(\.id))
        let kept = try Frames(at: path).names
        #expect(kept.count == expected.count)
        let page = try await documents.store.logs.page(
            of: .cloudDocs, after: .zero, limit: 1_024, account: documents.account)
        let frames = Dictionary(parts.map { ($0.id, $0.frame.count) }, uniquingKeysWith: { first, _ in first })
        let bytes =
            page.payloads.reduce(0) { $0 + StorageCost.entry($1) }
            + frames.values.reduce(0) { $0 + StorageCost.chunk($1) }
        #expect(try await documents.store.accounts.list().first?.used == UInt64(bytes))
    }
}
