import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

@testable import ServerStorage

@Suite("What is below a folder", .timeLimit(.minutes(10)))
struct DescendantTests {
    private static let attributes = ItemAttributes(
        permissions: 0o755, modified: .zero, created: .zero,
        extended: ["user.note": [UInt8](repeating: 7, count: 1_000)])

    @Test("a walk in small pages finds every item once, after its contents, and keeps only the folders that lead to it")
    func walk() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var documents = Documents(store, account, seed: 1)
            var random = SeededGenerator(seed: 2)
            var parents: [ItemID: ItemID] = [:]
            var folders = [ItemID.documents]
            var changes: [Change] = []
            for number in 0..<2_000 {
                let (id, parent) = (ItemID.random(using: &random), folders[random.number(0..<folders.count)])
                let isFolder = number % 3 == 0
                changes.append(
                    .create(
                        id, parent: parent, name: try ItemName("\(number)"), attributes: Self.attributes,
                        body: isFolder ? .folder : .symlink(target: [1])))
                parents[id] = parent
                if isFolder { folders.append(id) }
            }
            try await documents.append(changes)
            let tree = try await store.trees.wholeView(of: .cloudDocs, of: account).tree
            #expect(try await tree.descendantCount(of: .documents) == 2_000)
            var (walk, found): (DescendantWalk, [ItemID]) = (DescendantWalk(below: .documents), [])
            while true {
                let (items, next) = try await tree.next(of: walk, limit: 10)
                guard !items.isEmpty else { break }
                #expect(items.count < 10 + 256)
                found += items.map(\.id)
                walk = next
            }
            #expect(Set(found) == Set(parents.keys) && found.count == 2_000)
            let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1, $0) })
            let isOrdered = parents.allSatisfy { id, parent in
                parent == .documents || places[id] ?? .max < places[parent] ?? -1
            }
            #expect(isOrdered)
        }
    }

    @Test("rows of lists have no extended attributes, and one of their conflict versions")
    func lists() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var documents = Documents(store, account, seed: 1)
            let content = documents.content(chunks: 1)
            try await documents.put(content.parts)
            let id = ItemID.random()
            try await documents.append([
                .create(
                    id, parent: .documents, name: try ItemName("a"), attributes: Self.attributes,
                    body: .file(.stored(content.reference)))
            ])
            for device in UInt64(3)..<9 {
                let other = documents.content(chunks: 1)
                try await documents.put(other.parts)
                try await documents.append(
                    [.edit(id, base: nil, content: .stored(other.reference), modified: .zero)], device: device)
            }
            let tree = try await store.trees.wholeView(of: .cloudDocs, of: account).tree
            let listed = try await tree.children(of: .documents, from: 0, limit: 10).items
            #expect(listed.map(\.attributes.extended) == [[:]])
            #expect(listed.map(\.conflicts.count) == [1])
            let count = documents.tree.item(id)?.conflicts.count
            #expect(try await tree.conflictCount(of: id) == count)
            #expect(try await tree.item(id) == documents.tree.item(id))
            #expect(try await tree.conflicted(from: 0, limit: 10).total == 1)
            for version in documents.tree.item(id)?.conflicts ?? [] {
                #expect(try await tree.content(of: id, at: version.version) == version.content.reference)
            }
        }
    }
}
