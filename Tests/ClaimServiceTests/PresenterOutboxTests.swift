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

    private func drain(_ office: PresenterOutbox, _ count: Int) async -> [PresenterDelivery] {
        var letters: [PresenterDelivery] = []
        for _ in 0..<count { if let next = await office.next(of: 7) { letters.append(next.letter) } }
        return letters
    }

    @Test("questions overtake the notices for their presenter, and presenters take turns")
    func order() async throws {
        let office = PresenterOutbox()
        for _ in 0..<2 { try office.add(client) }
        let (first, second) = (PresenterID(1), PresenterID(2))
        office.put(.notice(.moved), for: first, of: 7)
        office.put(.notice(.deleted), for: first, of: 7)
        office.put(.notice(.changed), for: second, of: 7)
        office.put(ask, for: first, of: 7)
        #expect(await drain(office, 4) == [ask, .notice(.changed), .notice(.moved), .notice(.deleted)])
    }

    @Test("a waiting client gets the next message, or nil once the connection has ended")
    func waiting() async throws {
        let office = PresenterOutbox()
        try office.add(client)
        async let letter = office.next(of: 7)
        office.put(ask, for: PresenterID(1), of: 7)
        #expect(await letter?.letter == ask)
        async let last = office.next(of: 7)
        office.removeAll(of: 7)
        #expect(await last == nil)
        #expect(office.isEmpty)
        office.put(ask, for: PresenterID(1), of: 7)
        #expect(await office.next(of: 7) == nil)
    }

    @Test("a reader that is cancelled learns that there are no more messages")
    func cancelled() async throws {
        let office = PresenterOutbox()
        try office.add(client)
        let reader = Task { await office.next(of: 7) == nil }
        reader.cancel()
        #expect(await reader.value)
    }

    @Test("a presenter that was withdrawn is sent no more messages")
    func withdrawn() async throws {
        let office = PresenterOutbox()
        for _ in 0..<2 { try office.add(client) }
        office.put(ask, for: PresenterID(1), of: 7)
        office.put(.notice(.changed), for: PresenterID(2), of: 7)
        office.remove(PresenterID(1), of: client)
        #expect(await drain(office, 1) == [.notice(.changed)])
        #expect(!office.isEmpty && office.processes == [ClientID(7): 1])
    }

    @Test("a connection has a bounded number of presenters and one reader")
    func bounds() throws {
        let office = PresenterOutbox()
        for _ in 0..<PresenterOutbox.maximumPresenters { try office.add(client) }
        #expect(throws: DaemonFailure.self) { try office.add(client) }
        try office.beginReading(client)
        #expect(throws: DaemonFailure.self) { try office.beginReading(client) }
    }
}
