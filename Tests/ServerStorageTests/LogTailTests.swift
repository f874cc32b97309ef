import CloudModel
import CloudProtocol
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Pages that several devices read at once", .eachEngine)
struct LogTailTests {
    /// Lengths around the bounds of one query's reads for many devices.
    private static let lengths = [1, 4_096, 4_097, 1, 10_000] + Array(repeating: 3, count: 40)

    @Test("each device that reads beside many others gets exactly the entries after its position")
    func positions() async throws {
        try await withStore { store in
            var accounts: [AccountID] = []
            for number in 0..<5 {
                let account = try await store.newAccount("account\(number)")
                accounts.append(account)
                for (index, length) in Self.lengths.prefix(9 * (number + 1)).enumerated() {
                    let payload = [UInt8](repeating: UInt8(index), count: length)
                    _ = try await store.logs.append(payload, key: nil, to: .cloudDocs, of: account)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, account) in accounts.enumerated() {
                    let payloads = Self.lengths.prefix(9 * (number + 1)).enumerated().map {
                        [UInt8](repeating: UInt8($0.offset), count: $0.element)
                    }
                    for after in 0...payloads.count {
                        for limit in [1, 5, 1_024] {
                            group.addTask {
                                let page = try await store.logs.page(
                                    of: .cloudDocs, after: LogSequence(UInt64(after)), limit: limit, account: account)
                                #expect(page.first == LogSequence(UInt64(after) + 1))
                                #expect(page.payloads == Array(payloads.dropFirst(after).prefix(limit)))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a container that is not there and a position behind the end are errors of that reader alone")
    func errors() async throws {
        try await withStore { store in
            let account = try await store.newAccount("anna")
            _ = try await store.logs.append([1], key: nil, to: .cloudDocs, of: account)
            let absent = try #require(ContainerName("absent"))
            let read = { @Sendable (name: ContainerName, after: UInt64) async -> StorageError.Code? in
                do {
                    let page = try await store.logs.page(
                        of: name, after: LogSequence(after), limit: 100, account: account)
                    #expect(name == .cloudDocs && page.payloads == (after == 0 ? [[1]] : []))
                    return nil
                } catch { return (error as? StorageError)?.code }
            }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask { #expect(await read(.cloudDocs, 0) == nil) }
                    group.addTask { #expect(await read(.cloudDocs, 1) == nil) }
                    group.addTask { #expect(await read(absent, 0) == .notFound) }
                    for after in [2, UInt64(Int64.max), .max] {
                        group.addTask { #expect(await read(.cloudDocs, after) == .diverged) }
                    }
                }
            }
        }
    }
}
