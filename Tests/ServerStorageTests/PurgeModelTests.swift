import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Removal for good, against a model", .eachEngine, .inFilesAndInABucket, .timeLimit(.minutes(10)))
struct PurgeModelTests {
    /// The devices' actions, and the versions named outside the tree.
    private struct Model {
        var documents: Documents
        var random: SeededGenerator
        var items: [ItemID] = []
        var contents: [ContentReference: [ChunkBatch.Part]] = [:]
        /// All versions given up but not permanently removed.
        var history: [ItemID: [VersionID: ContentReference]] = [:]

        var named: Set<ContentReference> {
            history.values.reduce(into: documents.needed) { $0.formUnion($1.values) }
        }

        /// Appends a change, and notes the versions it gave up.
        mutating func append(_ change: Change) async throws {
            let before = documents.tree.allItems
            try await documents.append([change], device: UInt64(random.number(1..<4)))
            for item in before where !item.isDeleted {
                guard let after = documents.tree.item(item.id), after != item else { continue }
                let current = item.body.content?.reference.map { [(item.version, $0)] } ?? []
                let conflicts = item.conflicts.compactMap { each in each.content.reference.map { (each.version, $0) } }
                for (version, content) in after.isDeleted ? current : current + conflicts
                where !after.neededContents.contains(content) {
                    history[item.id, default: [:]][version] = content
                }
            }
        }

        mutating func newContent() async throws -> ContentReference {
            let all = contents.keys.sorted { $0.digest.bytes.lexicographicallyPrecedes($1.digest.bytes) }
            if random.chance(15), let known = random.pick(all) {
                try await documents.put(contents[known] ?? [])
                return known
            }
            let content = documents.content(chunks: random.number(1..<4))
            try await documents.put(content.parts)
            contents[content.reference] = content.parts
            return content.reference
        }

        mutating func step(_ store: ServerStore) async throws {
            let item = random.pick(items).flatMap { documents.tree.item($0) }
            switch random.number(0..<10) {
            case 0...2:
                let content = try await newContent()
                // The rest are abandoned uploads.
                guard random.chance(75) else { return }
                items.append(try await documents.create(content))
            case 3...4:
                guard let item else { return }
                let content = try await newContent()
                let base = random.chance(60) ? item.body.content?.reference?.digest : .zero
                try await append(.edit(item.id, base: base, content: .stored(content), modified: .zero))
            case 5...6:
                guard let item, !item.isDeleted else { return }
                try await append(.delete(item.id, base: item.body.content?.reference?.digest))
                // Conflict versions became items.
                for heir in documents.tree.allItems where heir.body.content != nil && !items.contains(heir.id) {
                    items.append(heir.id)
                }
            case 7:
                guard let item, !item.isDeleted, !item.conflicts.isEmpty else { return }
                try await append(.resolve(item.id, versions: item.conflicts.map(\.version)))
            default:
                guard let item, item.isDeleted else { return }
                try await purge(item, store)
            }
        }

        mutating func purge(_ item: CloudItem, _ store: ServerStore) async throws {
            let versions = Set((history[item.id] ?? [:]).keys).union([item.version]).sorted()
            try await append(.resolve(item.id, versions: versions))
            history[item.id] = nil
            let report = try await store.collectRequested(.standard)
            #expect(report.skipped.isEmpty, "\(report.skipped)")
        }

        /// Every byte in the quota belongs to something.
        func expectSum(_ store: ServerStore) async throws {
            let report = try await store.use(of: documents.account)
            #expect(report.parts.total == report.counted, "\(report)")
            #expect(report.parts.shared <= report.parts.documents)
        }

        func expectNamedAreKept(_ store: ServerStore) async throws {
            for content in named {
                let isThere = try await store.holds(contents[content] ?? [], of: documents.account)
                #expect(isThere, "\(content)")
            }
        }
    }

    @Test(
        "whatever is written, deleted, given up and removed for good, the bytes that are kept are those that something names",
        arguments: (UInt64(1)...6).map { $0 } + [UInt64.random(in: 1_000 ... .max)])
    func model(seed: UInt64) async throws {
        print("seed \(seed)")
        let time = SettableTime()
        try await withFolder { path in
            try await withStore(at: path, time: time) { store in
                let documents = Documents(store, try await store.newAccount("anna"), seed: seed)
                var model = Model(documents: documents, random: SeededGenerator(seed: seed))
                for step in 0..<120 {
                    try await model.step(store)
                    if step % 20 == 0 { try await model.expectSum(store) }
                    time.advance(by: .seconds(600))
                }
                try await model.expectNamedAreKept(store)
                for item in model.documents.tree.allItems where item.isDeleted && item.body.content != nil {
                    try await model.purge(item, store)
                }
                // For the abandoned uploads.
                time.advance(by: .seconds(3_600))
                _ = try await store.collectNow()
                try await model.expectNamedAreKept(store)
                try await expectNothingElse(model, store, at: path)
                try await model.expectSum(store)
                #expect(try await store.use(of: model.documents.account).parts.unnamed == 0)
            }
        }
    }

    private func expectNothingElse(_ model: Model, _ store: ServerStore, at path: String) async throws {
        let parts = model.named.flatMap { model.contents[$0] ?? [] }
        let frames = Dictionary(parts.map { ($0.id, $0.frame.count) }, uniquingKeysWith: { first, _ in first })
        #expect(try Frames(at: path).names.count == frames.count)
        let page = try await store.logs.page(
            of: .cloudDocs, after: .zero, limit: 1_024, account: model.documents.account)
        let bytes =
            page.payloads.reduce(0) { $0 + StorageCost.entry($1) }
            + frames.values.reduce(0) { $0 + StorageCost.chunk($1) }
        #expect(try await store.accounts.use(of: model.documents.account).used == UInt64(bytes))
    }
}
