import Basics
import LocalMetadata
import Testing

@testable import Sync

@Suite("Retries of refused evictions")
struct EvictionBackoffTests {
    @Test("the presenters of a refused document are asked again after five minutes, those of others at once")
    func pauses() {
        var backoff = EvictionBackoff()
        let (kept, other) = (NodeID(20), NodeID(21))
        let start = Timestamp(seconds: 1_000)
        backoff.refused(kept, at: start)
        #expect(!backoff.mayAsk(kept, at: start) && backoff.mayAsk(other, at: start))
        #expect(!backoff.mayAsk(kept, at: Timestamp(seconds: 1_299)))
        #expect(backoff.mayAsk(kept, at: Timestamp(seconds: 1_300)))
    }

    @Test("expired refusals are forgotten")
    func bounded() {
        var backoff = EvictionBackoff()
        for number in 0..<5_000 { backoff.refused(NodeID(UInt64(number)), at: Timestamp(seconds: Int64(number) * 10)) }
        #expect(!backoff.mayAsk(NodeID(4_999), at: Timestamp(seconds: 49_990)))
        #expect(backoff.mayAsk(NodeID(1), at: Timestamp(seconds: 49_990)))
    }
}
