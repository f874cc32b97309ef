import Basics
import LocalMetadata
import Testing

@testable import Sync

@Suite("Asking again whether bytes may go")
struct EvictionMannersTests {
    @Test("who keeps a document is asked again after five minutes, who was not asked at once")
    func pauses() {
        var manners = EvictionManners()
        let (kept, other) = (NodeID(20), NodeID(21))
        let start = Timestamp(seconds: 1_000)
        manners.refused(kept, at: start)
        #expect(!manners.mayAsk(kept, at: start) && manners.mayAsk(other, at: start))
        #expect(!manners.mayAsk(kept, at: Timestamp(seconds: 1_299)))
        #expect(manners.mayAsk(kept, at: Timestamp(seconds: 1_300)))
    }

    @Test("refusals that are over are forgotten")
    func bounded() {
        var manners = EvictionManners()
        for number in 0..<5_000 { manners.refused(NodeID(UInt64(number)), at: Timestamp(seconds: Int64(number) * 10)) }
        #expect(!manners.mayAsk(NodeID(4_999), at: Timestamp(seconds: 49_990)))
        #expect(manners.mayAsk(NodeID(1), at: Timestamp(seconds: 49_990)))
    }
}
