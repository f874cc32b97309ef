import CloudModel
import CloudProtocol
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Logs on a server", .eachEngine, .inFilesAndInABucket)
struct LogTests {
    @Test("commits are written through to the disk")
    func durable() async throws {
        try await withStore { store in
            let isDurable = try await store.isDurable()
            #expect(isDurable)
        }
    }

    @Test("an append that is sent again with its key returns the same position, and is in the log once")
    func idempotent() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var random = SeededGenerator(seed: 1)
            let keys = (0..<3).map { _ in AppendKey.random(using: &random) }
            for round in 0..<3 {
                for (index, key) in keys.enumerated() {
                    let sequence = try await store.logs.append([UInt8(index)], key: key, to: .cloudDocs, of: account)
                    #expect(sequence == LogSequence(UInt64(index) + 1), "round \(round)")
                }
            }
            let page = try await store.logs.page(of: .cloudDocs, after: .zero, limit: 100, account: account)
            #expect(page.payloads == [[0], [1], [2]])
        }
    }

    @Test("the same key means different appends in different containers and accounts")
    func keysAreApart() async throws {
        try await withStore { store in
            let (anna, berta) = (try await store.newAccount("anna"), try await store.newAccount("berta"))
            let notes = try #require(ContainerName("notes"))
            try await store.logs.createContainer(notes, of: anna)
            var random = SeededGenerator(seed: 2)
            let key = AppendKey.random(using: &random)
            #expect(try await store.logs.append([1], key: key, to: .cloudDocs, of: anna) == LogSequence(1))
            #expect(try await store.logs.append([2], key: key, to: notes, of: anna) == LogSequence(1))
            #expect(try await store.logs.append([3], key: key, to: .cloudDocs, of: berta) == LogSequence(1))
            let page = try await store.logs.page(of: .cloudDocs, after: .zero, limit: 9, account: berta)
            #expect(page.payloads == [[3]])
        }
    }

    @Test("if one of many writes that share a commit fails, the others succeed")
    func sharedCommit() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            let absent = try #require(ContainerName("absent"))
            let failures = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let name = number.isMultiple(of: 10) ? absent : ContainerName.cloudDocs
                        do {
                            _ = try await store.logs.append([1], key: nil, to: name, of: account)
                            return false
                        } catch { return true }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(failures == 20)
            let page = try await store.logs.page(of: .cloudDocs, after: .zero, limit: 1_000, account: account)
            #expect(page.payloads.count == 180)
        }
    }

    @Test("appends of several accounts that share a commit get the places of their own logs")
    func sharedByAccounts() async throws {
        try await withStore { store in
            var accounts: [AccountID] = []
            for number in 0..<6 { accounts.append(try await store.newAccount("account\(number)")) }
            let places = try await withThrowingTaskGroup(of: (AccountID, LogSequence).self) { group in
                for number in 0..<240 {
                    let account = accounts[number % accounts.count]
                    group.addTask {
                        (account, try await store.logs.append([UInt8(number)], key: nil, to: .cloudDocs, of: account))
                    }
                }
                return try await group.reduce(into: [AccountID: Set<LogSequence>]()) {
                    $0[$1.0, default: []].insert($1.1)
                }
            }
            for (number, account) in accounts.enumerated() {
                #expect(places[account] == Set((1...40).map { LogSequence($0) }))
                let page = try await store.logs.page(of: .cloudDocs, after: .zero, limit: 1_000, account: account)
                #expect(page.payloads.count == 40 && page.payloads.allSatisfy { Int($0[0]) % accounts.count == number })
            }
        }
    }

    @Test("a page ends at its size limit, and an entry beyond the limit is a page of its own")
    func pages() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            for length in [CloudLimits.pageBytes + 1, 10, CloudLimits.pageBytes - 10, 1] {
                _ = try await store.logs.append(
                    [UInt8](repeating: 7, count: length), key: nil, to: .cloudDocs, of: account)
            }
            var sizes: [[Int]] = []
            var after = LogSequence.zero
            while after < LogSequence(4) {
                let page = try await store.logs.page(of: .cloudDocs, after: after, limit: 100, account: account)
                #expect(page.first == after.next)
                sizes.append(page.payloads.map(\.count))
                after = LogSequence(after.value + UInt64(page.payloads.count))
            }
            #expect(sizes == [[CloudLimits.pageBytes + 1], [10, CloudLimits.pageBytes - 10], [1]])
        }
    }

    @Test("all data is there when the server is opened again")
    func reopened() async throws {
        try await withFolder { path in
            let parts = (1...20).map { part($0, [UInt8($0)]) }
            var account = AccountID(0)
            try await withStore(at: path) { store in
                account = try await store.newAccount("anna")
                try await store.chunks.put(parts, in: .cloudDocs, of: account)
                _ = try await store.logs.append([5], key: nil, to: .cloudDocs, of: account)
            }
            try await withStore(at: path) { store in
                #expect(try await store.chunks.missing(parts.map(\.id), in: .cloudDocs, of: account).isEmpty)
                for part in parts {
                    let place = try #require(try await store.chunks.place(of: part.id, in: .cloudDocs, of: account))
                    #expect(try await store.chunks.read(place, 0..<place.size) == part.frame)
                }
                let page = try await store.logs.page(of: .cloudDocs, after: .zero, limit: 9, account: account)
                #expect(page.payloads == [[5]])
            }
        }
    }
}
