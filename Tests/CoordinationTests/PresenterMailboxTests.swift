import Coordination
import Testing

@Suite("Presenter mailbox")
struct PresenterMailboxTests {
    private static func drain(_ mailbox: PresenterMailbox) -> [PresenterDelivery] {
        var mailbox = mailbox
        var deliveries: [PresenterDelivery] = []
        while let delivery = mailbox.take() { deliveries.append(delivery) }
        return deliveries
    }

    @Test("A question overtakes waiting notices, and each kind keeps its order")
    func order() {
        var mailbox = PresenterMailbox()
        let first = PresenterDelivery.notice(.subitemAppeared(ItemNumber(2)))
        let second = PresenterDelivery.notice(.subitemDeleted(from: FakeTree.place(FakeTree.root, "a")))
        let ask = PresenterDelivery.ask(AskID(1), [.relinquishToWriter])
        for delivery in [first, second, ask, .reacquire(AskID(1))] { mailbox.put(delivery) }
        #expect(Self.drain(mailbox) == [ask, .reacquire(AskID(1)), first, second])
    }

    @Test("A change that is already waiting is not queued twice; once it was taken it is queued again")
    func repeated() {
        var mailbox = PresenterMailbox()
        for _ in 0..<3 { mailbox.put(.notice(.changed)) }
        #expect(mailbox.count == 1)
        #expect(mailbox.take() == .notice(.changed))
        mailbox.put(.notice(.changed))
        #expect(mailbox.count == 1)
    }

    @Test(
        "The queue of a presenter that takes nothing is bounded, and the presenter is finally notified that anything may have changed"
    )
    func bounded() {
        var mailbox = PresenterMailbox(limit: 10)
        mailbox.put(.notice(.moved))
        for number in 0..<10_000 { mailbox.put(.notice(.subitemChanged(ItemNumber(Int64(number))))) }
        #expect(mailbox.count <= 11)
        let deliveries = Self.drain(mailbox)
        #expect(deliveries.contains(.notice(.moved)) && deliveries.contains(.notice(.changed)))
    }
}
