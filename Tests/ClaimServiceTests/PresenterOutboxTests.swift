import Coordination
import DaemonProtocol
import Testing

@testable import ClaimService

@Suite("Messages to the presenters of a connection")
struct PresenterOutboxTests {
    private struct Client: ClaimClient {
        let connection: UInt64 = 7
        let request: UInt64 = 1
        let processID: Int32 = 1
        let program = "test"
    }

    private let client = Client()
    private let ask = PresenterDelivery.ask(AskID(1), [.saveChanges])

    private func drain(_ outbox: PresenterOutbox, _ count: Int) async -> [PresenterDelivery] {
        var messages: [PresenterDelivery] = []
        for _ in 0..<count { if let next = await outbox.next(of: 7) { messages.append(next.message) } }
        return messages
    }

    @Test("questions overtake the notices for their presenter, and presenters take turns")
    func order() async throws {
        let outbox = PresenterOutbox()
        for _ in 0..<2 { try outbox.add(client) }
        let (first, second) = (PresenterID(1), PresenterID(2))
        outbox.put(.notice(.moved), for: first, of: 7)
        outbox.put(.notice(.deleted), for: first, of: 7)
        outbox.put(.notice(.changed), for: second, of: 7)
        outbox.put(ask, for: first, of: 7)
        #expect(await drain(outbox, 4) == [ask, .notice(.changed), .notice(.moved), .notice(.deleted)])
    }

    @Test("a waiting client gets the next message, or nil once the connection has ended")
    func waiting() async throws {
        let outbox = PresenterOutbox()
        try outbox.add(client)
        async let message = outbox.next(of: 7)
        outbox.put(ask, for: PresenterID(1), of: 7)
        #expect(await message?.message == ask)
        async let last = outbox.next(of: 7)
        outbox.removeAll(of: 7)
        #expect(await last == nil)
        #expect(outbox.isEmpty)
        outbox.put(ask, for: PresenterID(1), of: 7)
        #expect(await outbox.next(of: 7) == nil)
    }

    @Test("a reader that is cancelled learns that there are no more messages")
    func cancelled() async throws {
        let outbox = PresenterOutbox()
        try outbox.add(client)
        let reader = Task { await outbox.next(of: 7) == nil }
        reader.cancel()
        #expect(await reader.value)
    }

    @Test("a presenter that was withdrawn is sent no more messages")
    func withdrawn() async throws {
        let outbox = PresenterOutbox()
        for _ in 0..<2 { try outbox.add(client) }
        outbox.put(ask, for: PresenterID(1), of: 7)
        outbox.put(.notice(.changed), for: PresenterID(2), of: 7)
        outbox.remove(PresenterID(1), of: client)
        #expect(await drain(outbox, 1) == [.notice(.changed)])
        #expect(!outbox.isEmpty && outbox.processes == [ClientID(7): 1])
    }

    @Test("a connection has a bounded number of presenters and one reader")
    func bounds() throws {
        let outbox = PresenterOutbox()
        for _ in 0..<PresenterOutbox.maximumPresenters { try outbox.add(client) }
        #expect(throws: DaemonFailure.self) { try outbox.add(client) }
        try outbox.beginReading(client)
        #expect(throws: DaemonFailure.self) { try outbox.beginReading(client) }
    }
}
