import CloudModel
import CloudProtocol
import Foundation
import TestSupport
import Testing

@testable import ServerStorage

@Suite("Requests with many names", .eachEngine, .timeLimit(.minutes(5)))
struct BulkTurnTests {
    @Test("distrusting chunks that do not exist, or are distrusted already, writes nothing", .sqliteFileOnly)
    func invented() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                await store.devices.contacts.settle()
                let parts = (UInt64(0)..<3).map { part($0, [UInt8($0)]) }
                try await store.chunks.put(parts, in: .cloudDocs, of: account)
                func length() throws -> Int { try Data(contentsOf: URL(filePath: "\(path)/server.sqlite-wal")).count }
                let invented = (UInt64(100)..<1_100).map { part($0, []).id }
                let before = try length()
                try await store.chunks.distrust(invented, in: .cloudDocs, of: account)
                #expect(try length() == before)
                try await store.chunks.distrust(invented + parts.map(\.id), in: .cloudDocs, of: account)
                #expect(try length() > before)
                #expect(try await store.chunks.missing(parts.map(\.id), in: .cloudDocs, of: account).count == 3)
                let after = try length()
                try await store.chunks.distrust(parts.map(\.id), in: .cloudDocs, of: account)
                #expect(try length() == after)
            }
        }
    }

    @Test("a request does not wait until its device's contact is recorded, which happens nevertheless")
    func contacts() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            try await store.accounts.add("anna")
            let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "test")
            let token = try #require(DeviceToken(answer.token))
            time.advance(by: .seconds(3_600))
            for _ in 0..<50 { #expect(try await store.devices.device(with: token) != nil) }
            await store.devices.contacts.settle()
            #expect(try await store.devices.list().map(\.seen) == [time.now()])
        }
    }
}
