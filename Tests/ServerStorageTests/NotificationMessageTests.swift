import CloudModel
import TestSupport
import Testing

@testable import ServerStorage

@Suite("What processes of a cluster notify each other of")
struct NotificationMessageTests {
    private static let names = ["CloudDocs", "a", "com.example.notes-1_2", String(repeating: "x", count: 128)]

    private func ends(_ count: Int, seed: UInt64) throws -> [LogEnd] {
        var random = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in
            LogEnd(
                account: AccountID(.random(in: 1 ... .max, using: &random)),
                container: try #require(ContainerName(Self.names.randomElement(using: &random) ?? "")),
                sequence: random.next())
        }
    }

    @Test("payloads say together what they were made of, and each is within PostgreSQL's limit", arguments: 0..<64)
    func coding(seed: UInt64) throws {
        let ends = try ends(Int(seed * seed), seed: seed)
        let payloads = NotificationMessage.payloads(.ends(ends), from: seed + 1)
        #expect(payloads.allSatisfy { $0.utf8.count < 8_000 })
        let messages = payloads.map { NotificationMessage(decoding: $0) }
        #expect(messages.allSatisfy { $0.sender == seed + 1 })
        let decoded = messages.flatMap { if case .ends(let ends) = $0.content { ends } else { [LogEnd]() } }
        #expect(decoded == ends)
    }

    @Test("a message that everything has changed keeps its sender out of the logs that it names")
    func everything() throws {
        let payload = try #require(NotificationMessage.payloads(.everything, from: 7).first)
        #expect(NotificationMessage(decoding: payload).content == .everything)
    }

    @Test(
        "what is not understood makes the receiver read the database",
        arguments: [
            "", "2 0000000000000001\n1 1 a", "1", "1 1\n1 1 a", "1 0000000000000001\n", "1 0000000000000001\n1 1",
            "1 0000000000000001\n1 1 a b", "1 0000000000000001\n1 -1 a", "1 0000000000000001\n1 1 ../a",
            "1 0000000000000001\n1 18446744073709551616 a", "1 0000000000000001\n1 1 a\n9223372036854775808 1 a",
            "1 0000000000000001\n1 1 a\n" + String(repeating: "1 1 a\n", count: 2_000),
        ])
    func notUnderstood(payload: String) {
        #expect(NotificationMessage(decoding: payload).content == .everything)
    }

    @Test("any bytes decode without a trap, and what decodes is encoded to the same", arguments: 0..<256)
    func fuzz(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let valid = NotificationMessage.payloads(.ends(try ends(4, seed: seed)), from: random.next())[0]
        var bytes = Array(valid.utf8)
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch random.next() % 3 {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            default: bytes.insert(Array("0 \n-*9".utf8).randomElement(using: &random) ?? 0, at: index)
            }
        }
        let message = NotificationMessage(decoding: String(decoding: bytes, as: UTF8.self))
        guard case .ends(let ends) = message.content, !ends.isEmpty else { return }
        let again = NotificationMessage.payloads(message.content, from: message.sender).map {
            NotificationMessage(decoding: $0)
        }
        #expect(again == [message])
    }

    @Test("a batch has the newest end of each log once, whatever the order of the commits")
    func batch() throws {
        var batch = NotificationBatch()
        #expect(batch.take() == nil)
        let log = try #require(ContainerName("a"))
        for sequence in [3, 9, 4] as [UInt64] {
            batch.add(LogEnd(account: AccountID(1), container: log, sequence: sequence))
        }
        let newest = LogEnd(account: AccountID(1), container: log, sequence: 9)
        #expect(batch.take() == .ends([newest]))
        #expect(batch.isEmpty)
    }

    @Test("a batch that cannot be sent stays bounded, and then makes all processes read the database")
    func bounded() throws {
        var batch = NotificationBatch()
        let log = try #require(ContainerName("a"))
        for account in 0...Int64(NotificationBatch.maximumLogs) {
            batch.add(LogEnd(account: AccountID(account), container: log, sequence: 1))
        }
        #expect(batch.take() == .everything)
    }
}
