import Basics
import CloudModel
import Sync
import Testing

@Suite("Documents that two devices rewrite in answer to each other")
struct RewriteLoopTests {
    private let own = DeviceID(1)
    private let other = DeviceID(2)
    private let now = Timestamp(nanoseconds: 1_000_000_000_000_000)

    private func version(_ author: DeviceID, _ age: Duration) -> RewriteLoop.Version {
        RewriteLoop.Version(author: author, authorName: "device \(author.value)", superseded: now.adding(.zero - age))
    }

    /// Returns `count` versions by the two devices in turn, `gap` apart, newest first.
    private func turns(_ count: Int, each gap: Duration = .seconds(1)) -> [RewriteLoop.Version] {
        (0..<count).map { version($0.isMultiple(of: 2) ? other : own, gap * $0) }
    }

    private func loop(_ versions: [RewriteLoop.Version], current: DeviceID? = nil) -> RewriteLoop? {
        RewriteLoop(superseded: versions, current: version(current ?? own, .zero), device: own, now: now)
    }

    @Test(
        "ten changes of author within a quarter of an hour delay the next upload, and each further one doubles the delay up to five minutes"
    )
    func backOff() throws {
        #expect(loop(turns(9)) == nil)
        let found = try #require(loop(turns(10)))
        #expect(found.turns == 10 && found.otherDevice == "device 2")
        #expect(found.until == now.adding(.seconds(5)))
        #expect(loop(turns(12))?.until == now.adding(.seconds(20)))
        #expect(loop(turns(30))?.until == now.adding(.seconds(300)))
        #expect(loop(turns(40, each: .milliseconds(1)))?.until == now.adding(.seconds(300)))
    }

    @Test("versions by one device, by other devices only, or over a longer time are not a loop")
    func ordinary() {
        #expect(loop((0..<40).map { version(own, .seconds($0)) }) == nil, "a program that saves often")
        let strangers = (0..<40).map { version(DeviceID($0.isMultiple(of: 2) ? 7 : 8), .seconds($0)) }
        #expect(loop(strangers, current: DeviceID(7)) == nil, "a loop of two other devices")
        #expect(loop(turns(20, each: .seconds(120))) == nil, "two people who take turns")
        let bursts = (0..<40).map { version($0 / 8 % 2 == 0 ? own : other, .seconds($0)) }
        #expect(loop(bursts) == nil, "saving often, in turns")
    }

    @Test("versions with a future time are not counted, and no clock value traps")
    func clocks() {
        #expect(loop((0..<20).map { version($0.isMultiple(of: 2) ? other : own, .seconds(-60 - $0)) }) == nil)
        for time in [Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)] {
            let versions = (0..<20).map {
                RewriteLoop.Version(author: $0.isMultiple(of: 2) ? other : own, authorName: "", superseded: time)
            }
            _ = RewriteLoop(superseded: versions, current: versions[0], device: own, now: time)
        }
    }
}
