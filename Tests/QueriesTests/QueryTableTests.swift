import Queries
import TestSupport
import Testing

@Suite("Live queries")
struct QueryTableTests {
    private func predicate(_ text: String) throws -> Predicate { try Predicate(parsing: text) }

    @Test("A change wakes only the queries that it can concern")
    func index() throws {
        var queries = QueryTable()
        let texts = queries.add(try predicate("name LIKE '*.txt'"), QueryScope())
        let films = queries.add(try predicate("name ENDSWITH[c] '.MOV'"), QueryScope())
        let large = queries.add(try predicate("size > 100"), QueryScope())
        #expect(queries.changed(1, TestSubject(name: "a.txt")) == [texts])
        #expect(queries.changed(2, TestSubject(name: "b.mov")) == [films])
        #expect(queries.changed(3, TestSubject(name: "c", size: 200)) == [large])
        #expect(queries.changed(4, TestSubject(name: "d.pdf")).isEmpty)
        queries.remove(texts)
        #expect(queries.changed(1, TestSubject(name: "a.txt")).isEmpty)
    }

    @Test("Scopes are documents, other data, or one container")
    func scopes() throws {
        var queries = QueryTable()
        let documents = queries.add(.always(true), QueryScope(areas: [.documents]))
        let data = queries.add(.always(true), QueryScope(areas: [.data]))
        let second = queries.add(.always(true), QueryScope(containers: [2]))
        _ = queries.add(.always(true), QueryScope(areas: [.external]))
        #expect(Set(queries.changed(1, TestSubject())) == [documents])
        #expect(Set(queries.changed(2, TestSubject(scopeContainer: 2, isInDocuments: false))) == [data, second])
    }

    @Test("A part of a document is sent to no query, and an item that becomes a part is no longer a result")
    func parts() throws {
        var queries = QueryTable()
        let id = queries.add(.always(true), QueryScope())
        #expect(queries.changed(1, TestSubject(isResult: false)).isEmpty)
        #expect(queries.changed(1, TestSubject()) == [id])
        _ = queries.update([(item: 1, mark: 0)], [], of: id)
        #expect(queries.changed(1, TestSubject(isResult: false)) == [id])
    }

    @Test("The backlog of a client that does not read never exceeds the number of items")
    func bounded() throws {
        var queries = QueryTable()
        let id = queries.add(try predicate("name LIKE '*.txt'"), QueryScope())
        for number in 0..<10_000 as Range<UInt64> {
            _ = queries.changed(number, TestSubject())
            _ = queries.changed(number, nil as TestSubject?)
        }
        #expect(queries.dirtyCount == 0 && !queries.hasChanges(id))
        for _ in 0..<100 { for number in 0..<10 as Range<UInt64> { _ = queries.changed(number, TestSubject()) } }
        #expect(queries.dirtyCount == 10)
    }

    /// Simulates a client with occasional reads while items appear, change, leave the query's results and disappear.
    @Test("However slowly a client reads, it ends with the matching items", arguments: 1...60)
    func converges(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var queries = QueryTable()
        let wanted = try predicate("name LIKE '*.txt' AND size < 3")
        let prepared = PreparedPredicate(wanted)
        let id = queries.add(wanted, QueryScope())
        var items: [UInt64: TestSubject] = [:]
        var client: [UInt64: Int] = [:]
        func read(_ numbers: [UInt64]) {
            let present = numbers.filter { items[$0].map { prepared.matches($0) } ?? false }
            let absent = numbers.filter { !present.contains($0) }
            let update = queries.update(present.map { ($0, Int(items[$0]?.size ?? 0)) }, absent, of: id)
            for number in update.added {
                #expect(client[number] == nil, "seed \(seed)")
                client[number] = Int(items[number]?.size ?? 0)
            }
            for number in update.changed {
                #expect(client[number] != nil, "seed \(seed)")
                client[number] = Int(items[number]?.size ?? 0)
            }
            for number in update.removed { #expect(client.removeValue(forKey: number) != nil, "seed \(seed)") }
        }
        func change() {
            let number = UInt64.random(in: 0..<20, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                items[number] = nil
            } else {
                let name = ["a.txt", "b.TXT", "c"][Int.random(in: 0..<3, using: &random)]
                items[number] = TestSubject(name: name, size: Double(Int.random(in: 0...4, using: &random)))
            }
            _ = queries.changed(number, items[number])
        }
        for _ in 0..<300 {
            change()
            guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
            queries.beginReading(id)
            let dirty = queries.takeDirty(of: id, limit: Int.random(in: 1...5, using: &random))
            // While the client reads rows, other rows or the same rows change.
            read(dirty)
        }
        while queries.hasChanges(id) { read(queries.takeDirty(of: id, limit: 7)) }
        let expected = items.filter { prepared.matches($0.value) }.mapValues { Int($0.size) }
        #expect(client == expected, "seed \(seed)")
    }
}
