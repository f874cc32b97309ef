import Synchronization
import Testing

@testable import ServerStorage

@Suite("Lookups that share a query")
struct BatchedLookupTests {
    private struct Failure: Error {}

    /// A query that records its numbers and waits for the test's permission to continue.
    private final class Query: Sendable {
        private let asked = Mutex<[[Int64]]>([])
        private let (begun, begin) = AsyncStream<Void>.makeStream()
        private let (released, release) = AsyncStream<Void>.makeStream()

        var all: [[Int64]] { asked.withLock { $0 } }

        func run(_ keys: [Int64]) async -> [Int64: String] {
            asked.withLock { $0.append(keys.sorted()) }
            begin.yield()
            for await _ in released { break }
            return Dictionary(uniqueKeysWithValues: keys.filter { $0 > 0 }.map { ($0, "row \($0)") })
        }

        func waitUntilBegun() async { for await _ in begun { break } }

        func goOn() { release.yield() }
    }

    @Test("lookups during a query share the next one, and each gets its own row")
    func shared() async throws {
        let query = Query()
        let lookup = BatchedLookup { await query.run($0) }
        async let first = lookup.value(of: 1)
        await query.waitUntilBegun()
        let later = [2, 3, 3, -1] as [Int64]
        try await withThrowingTaskGroup(of: (Int64, String?).self) { group in
            for key in later { group.addTask { (key, try await lookup.value(of: key)) } }
            // All of them wait by then: nothing else can end while the first query is held.
            while lookup.waiting < later.count { await Task.yield() }
            query.goOn()
            await query.waitUntilBegun()
            query.goOn()
            for try await (key, row) in group { #expect(row == (key > 0 ? "row \(key)" : nil)) }
        }
        #expect(try await first == "row 1")
        #expect(query.all == [[1], [-1, 2, 3]])
    }

    @Test("an error is that of each lookup of its query, and of no later one")
    func failed() async throws {
        let isFailing = Mutex(true)
        let lookup = BatchedLookup<Int64, String> { keys in
            if isFailing.withLock({ $0 }) { throw Failure() }
            return [keys[0]: "row"]
        }
        await #expect(throws: Failure.self) { try await lookup.value(of: 1) }
        isFailing.withLock { $0 = false }
        #expect(try await lookup.value(of: 1) == "row")
    }

    @Test("a query has no more numbers than the limit")
    func limited() async throws {
        let query = Query()
        let lookup = BatchedLookup { await query.run($0) }
        let count = 2 * BatchedLookup<Int64, String>.limit + 1
        try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await lookup.value(of: 1) }
            await query.waitUntilBegun()
            for key in 1...count { group.addTask { try await lookup.value(of: Int64(key)) } }
            while lookup.waiting < count { await Task.yield() }
            query.goOn()
            for _ in 0..<3 {
                await query.waitUntilBegun()
                query.goOn()
            }
            for try await row in group { #expect(row != nil) }
        }
        #expect(query.all.map(\.count) == [1, 64, 64, 1])
    }
}
