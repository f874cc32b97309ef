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

    @Test("sizes of folders are exact within the limit; beyond it they are lower bounds, and the limit is for all")
    func sizes() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var documents = Documents(store, account, seed: 1)
            let content = documents.content(chunks: 1)
            try await documents.put(content.parts)
            func create(_ id: ItemID, _ name: String, in parent: ItemID, isFolder: Bool) throws -> Change {
                .create(
                    id, parent: parent, name: try ItemName(name), attributes: Self.attributes,
                    body: isFolder ? .folder : .file(.stored(content.reference)))
            }
            let (small, wide, deep) = (ItemID.random(), ItemID.random(), ItemID.random())
            var changes = try [("small", small), ("wide", wide), ("deep", deep)].map {
                try create($1, $0, in: .documents, isFolder: true)
            }
            for number in 0..<2 { changes.append(try create(.random(), "\(number)", in: small, isFolder: false)) }
            for number in 0..<500 { changes.append(try create(.random(), "\(number)", in: wide, isFolder: false)) }
            var folder = deep
            for number in 0..<30 {
                let next = ItemID.random()
                changes.append(try create(next, "\(number)", in: folder, isFolder: true))
                changes.append(try create(.random(), "file", in: folder, isFolder: false))
                folder = next
            }
            try await documents.append(changes)
            let tree = try await store.trees.wholeView(of: .cloudDocs, of: account).tree
            let one = content.reference.size
            let all = try await tree.sizes(of: [small, wide, deep], visiting: 562)
            #expect(all.values.allSatisfy { $0.isComplete })
            #expect([small, wide, deep].map { all[$0]?.bytes } == [2 * one, 500 * one, 30 * one])
            let some = try await tree.sizes(of: [small, wide, deep], visiting: 150)
            #expect(some[small]?.isComplete == true && some[deep]?.isComplete == true)
            #expect(some[wide]?.isComplete == false && some[wide]?.bytes == 88 * one)
            #expect(try await tree.sizes(of: [wide], visiting: 500)[wide]?.isComplete == true)
            #expect(try await tree.sizes(of: [wide], visiting: 0)[wide] == FolderSize(bytes: 0, isComplete: false))
            #expect(try await tree.sizes(of: [], visiting: 9).isEmpty)
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
