import Chunking
import CloudModel
import CloudProtocol
import ContainerLog
import Testing

@testable import ServerStorage

@Suite("What published links count", .eachEngine)
struct LinkCostTests {
    @Test("a link counts against the quota until it is withdrawn, has expired, or its container is removed")
    func cost() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            let account = try await store.newAccount("anna", quota: 1_200)
            var random = SystemRandomNumberGenerator()
            func publish() async throws -> LinkRecord {
                try await store.links.add(
                    .random(using: &random), to: ContentReference(digest: .of([]), size: 0, layout: .empty),
                    name: ItemName("a"), in: .cloudDocs, of: account, lifetime: .seconds(60), password: nil)
            }
            func used() async throws -> UInt64 { try await store.accounts.use(of: account).used }
            let first = try await publish()
            _ = try await publish()
            await #expect(throws: StorageError.self) { _ = try await publish() }
            #expect(try await used() == 1_000)
            #expect(try await store.links.withdraw(first.id, of: account))
            #expect(try await used() == 500)
            time.advance(by: .seconds(61))
            _ = try await publish()
            #expect(try await used() == 500)
            let sums = try await store.database.read { try AccountSums(of: account.value, $0) }
            #expect(sums?.isRight == true)
            try await store.removeContainer(.cloudDocs, ofAccount: "anna")
            #expect(try await used() == 0)
        }
    }

    @Test("links are listed in pages, each after the last of the one before")
    func pages() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            var random = SystemRandomNumberGenerator()
            for _ in 0..<5 {
                _ = try await store.links.add(
                    .random(using: &random), to: ContentReference(digest: .of([]), size: 0, layout: .empty),
                    name: ItemName("a"), in: .cloudDocs, of: account, lifetime: .seconds(60), password: nil)
            }
            let first = try await store.links.list(of: account, after: 0, limit: 3)
            let rest = try await store.links.list(of: account, after: first.last?.id ?? 0, limit: 3)
            #expect(first.count == 3 && rest.count == 2 && Set((first + rest).map(\.id)).count == 5)
            let page = try await store.links.page(of: account, from: 3, limit: 3)
            #expect(page.total == 5 && page.links == rest)
        }
    }
}
