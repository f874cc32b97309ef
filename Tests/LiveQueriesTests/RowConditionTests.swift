import Basics
import CloudModel
import Foundation
import LocalMetadata
import Logging
import Queries
import TestSupport
import Testing

@testable import LiveQueries

/// Queries read only the rows that meet a condition in SQL, and evaluate their predicates on those.
@Suite("Queries on the database")
final class RowConditionTests {
    private let directory = NSTemporaryDirectory() + "/ubiquity-rows-\(UUID().uuidString)"
    private let metadata: MetadataDatabase
    private let container: ContainerID
    private let root: NodeID

    init() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        metadata = try MetadataDatabase(path: directory + "/metadata.sqlite", log: Logger(label: "test"))
        container = try metadata.write { try $0.createContainer(.cloudDocs, at: .zero) }
        let found = try metadata.read { try $0.container(named: .cloudDocs) }
        root = try #require(found).node
    }

    deinit {
        // Best effort: the directory is in the folder for temporary files.
        try? metadata.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Equal names with different bytes, names with wildcards, and names without letters.
    private static let names = [
        "a.txt", "A.TXT", "b.md", "été.txt", "e\u{301}te\u{301}.TXT", "K.txt", "\u{212A}.txt", "no ending", ".hidden",
        "x.tar.gz", "ß.txt", "ss.txt", "*.txt", "back\\slash", "a.tx\u{301}t", "a.pages", "100%", "_",
    ]
    private static let texts =
        names + ["txt", ".txt", "t", "e", "K", "%", "", "*.txt", "?.*", "notDownloaded", "current"]

    private func item(_ number: Int, _ random: inout SeededGenerator) throws -> LocalItem {
        // Two items in the same folder must have different names.
        let name = (random.pick(Self.names) ?? "") + (random.chance(50) ? "\(number)" : "")
        let times = [0, 1, 1_000_000_000, 978_307_200_000_000_000, -5].map { Timestamp(nanoseconds: $0) }
        let kind = random.pick([LocalKind.file, .file, .file, .folder, .symlink]) ?? .file
        var item = LocalItem(
            container: container, item: ItemID(high: 1 << 62, low: UInt64(number) + 1), parent: root,
            name: try ItemName(name), kind: kind,
            attributes: ItemAttributes(
                permissions: 0o644, modified: random.pick(times) ?? .zero, created: random.pick(times) ?? .zero),
            changed: .zero)
        item.size = kind == .file ? random.pick([0, 1, 2, 3, 1 << 40, 1 << 53]) ?? 0 : 0
        item.presence = random.pick([Presence.none, .partial, .whole]) ?? .none
        item.content =
            random.chance(60) && kind == .file
            ? ContentReference(digest: Digest(words: (UInt64(number), 0, 0, 0)), size: item.size, layout: .chunk) : nil
        (item.isKnown, item.isExcluded) = (random.chance(70), random.chance(15))
        // The database rejects an edit unless all its bytes are local.
        item.isEdited = item.presence == .whole && random.chance(30)
        item.pendingSince = random.chance(30) ? .zero : nil
        return item
    }

    /// Creates items, including conflict versions of others.
    private func fill(_ random: inout SeededGenerator) throws {
        try metadata.write { transaction in
            var documents: [ItemID] = []
            for number in 0..<40 {
                var item = try item(number, &random)
                if item.kind == .file, let document = random.pick(documents), random.chance(25) {
                    item.conflict = .init(document: document, version: VersionID(sequence: LogSequence(1), index: 0))
                } else if item.kind == .file {
                    documents.append(item.item)
                }
                guard try transaction.local.item(named: item.name, in: root) == nil else { continue }
                _ = try transaction.local.insert(item)
            }
        }
    }

    private func predicate(_ depth: Int, _ random: inout SeededGenerator) -> Queries.Predicate {
        guard depth > 0, random.chance(70) else { return .comparison(comparison(&random)) }
        switch random.number(0..<4) {
        case 0: return .not(predicate(depth - 1, &random))
        case 1: return .always(random.chance(50))
        case 2: return .all((0..<random.number(1..<4)).map { _ in predicate(depth - 1, &random) })
        default: return .any((0..<random.number(1..<4)).map { _ in predicate(depth - 1, &random) })
        }
    }

    private func comparison(_ random: inout SeededGenerator) -> Comparison {
        let options = random.chance(60) ? [] : TextOptions(rawValue: UInt8(random.number(0..<4)))
        func text() -> Literal { .text(random.pick(Self.texts) ?? "") }
        func ordered(_ value: @autoclosure () -> Literal) -> (Comparison.Relation, [Literal]) {
            switch random.number(0..<8) {
            case 0: return (.between, [value(), value()])
            case 1: return (.among, [value(), value(), value()])
            default:
                let relations: [Comparison.Relation] = [
                    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
                ]
                return (random.pick(relations) ?? .equal, [value()])
            }
        }
        switch random.number(0..<8) {
        case 0:
            let (relation, values) = ordered(
                .number(random.pick([0, 1, 1.5, 2, -1, 0x1p40, 0x1p53, 1e300]) ?? 0))
            return Comparison(.size, relation, values)
        case 1:
            let (relation, values) = ordered(.date(random.pick([0, 1, 1_000_000_000, -5, .max, .min]) ?? 0))
            return Comparison(random.chance(50) ? .modified : .created, relation, values)
        case 2:
            let attribute = random.pick([DocumentFact.isUploaded, .hasUnresolvedConflicts]) ?? .isUploaded
            return Comparison(.fact(attribute), random.chance(50) ? .equal : .notEqual, [.flag(random.chance(50))])
        case 3:
            return Comparison(
                .fact(.downloadingStatus), random.chance(70) ? .equal : .notEqual, [text()],
                options: random.chance(70) ? [] : options)
        case 4: return Comparison(.name, .among, [text(), text()], options: options)
        default:
            let relations: [Comparison.Relation] = [
                .equal, .notEqual, .less, .beginsWith, .endsWith, .contains, .like, .endsWith, .contains,
            ]
            return Comparison(.name, random.pick(relations) ?? .equal, [text()], options: options)
        }
    }

    @Test(
        "the SQL condition of a predicate excludes no row that the predicate matches",
        arguments: 1...12 as ClosedRange<UInt64>)
    func superset(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try fill(&random)
        let all = try metadata.read { transaction in
            var reader = RowReader(transaction, TransferTable(), mountPoint: "/m")
            return try transaction.local.items(after: NodeID(0), meeting: .everything, limit: 1000).map {
                try reader.row($0)
            }
        }
        var left = 0
        for _ in 0..<800 {
            let predicate = predicate(random.number(0..<4), &random)
            let (condition, prepared) = (ItemCondition(predicate), PreparedPredicate(predicate))
            let read = try metadata.read {
                try $0.local.items(after: NodeID(0), meeting: condition, limit: 1000)
            }
            let nodes = Set(read.map(\.node))
            left += all.count - nodes.count
            for row in all where !nodes.contains(row.item.node) && prepared.matches(row) {
                Issue.record("seed \(seed): ‘\(row.item.name)’ matches \(predicate), and not \(condition)")
            }
        }
        #expect(left > 0, "seed \(seed): nothing was left to the database")
    }
}
