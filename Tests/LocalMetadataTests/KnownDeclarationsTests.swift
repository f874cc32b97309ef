import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@testable import LocalMetadata

@Suite("Declarations in memory")
struct KnownDeclarationsTests {
    private struct Undone: Error {}

    private let scratch: Scratch
    private let containers: [ContainerID]
    private let roots: [ContainerID: LocalItem]

    init() throws {
        let scratch = try Scratch()
        self.scratch = scratch
        let notes = try #require(ContainerName("com.example.notes"))
        containers = try [ContainerName.cloudDocs, notes].map { name in
            try scratch.metadata.write { try $0.createContainer(name, at: .zero) }
        }
        roots = try scratch.metadata.read { [containers] transaction in
            try containers.reduce(into: [:]) { $0[$1] = try transaction.local.item(.root, in: $1) }
        }
    }

    private func declare(_ random: inout SeededGenerator) -> [String: [UInt8]] {
        var extended: [String: [UInt8]] = [:]
        if random.chance(50) { extended[ReservedAttribute.packageType("app")] = [] }
        if random.chance(50) { extended[ReservedAttribute.packageType("notes")] = [] }
        if random.chance(50) { extended[ReservedAttribute.foldsNames] = [] }
        return extended
    }

    /// Changes a container's declarations in one of the ways in which its root changes.
    private func change(
        _ container: ContainerID, _ transaction: MetadataTransaction, _ random: inout SeededGenerator
    ) throws {
        let present = try transaction.local.item(.root, in: container)
        guard var root = present ?? roots[container] else { return }
        root.attributes.extended = declare(&random)
        switch random.number(0..<4) {
        case 0 where present == nil: try transaction.local.insert(root)
        case 0: try transaction.local.update(root)
        case 1: try transaction.local.remove(root.node)
        case 2:
            var remote = transaction.remote(in: container)
            try remote.put(
                CloudItem(
                    id: .root, parent: .nowhere, name: root.name, attributes: root.attributes, body: .folder,
                    version: VersionID(sequence: LogSequence(1), index: 0), author: DeviceID(1), authorName: "a"))
        default: _ = try transaction.local.declarations(of: container)
        }
    }

    @Test("after any changes of roots, of which some are undone, they are those of the database", arguments: 1...8)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var kept = 0
        for _ in 0..<100 {
            do {
                try scratch.metadata.write { transaction in
                    for _ in 0..<random.number(1..<4) {
                        guard let container = random.pick(containers) else { return }
                        try change(container, transaction, &random)
                    }
                    if random.chance(25) { throw Undone() }
                }
            } catch is Undone {}
            kept = max(kept, scratch.metadata.declarations.all.count)
            #expect(try scratch.metadata.staleDeclarations() == [], "seed \(seed)")
        }
        #expect(kept == containers.count, "declarations were kept, seed \(seed)")
    }

    @Test("those of too many containers are not kept")
    func bounded() {
        let known = KnownDeclarations()
        known.all = [ContainerID(1): RootDeclarations()]
        #expect(known.all.count == 1)
        known.all = Dictionary(uniqueKeysWithValues: (0..<1000).map { (ContainerID($0), RootDeclarations()) })
        #expect(known.all.isEmpty)
    }
}
