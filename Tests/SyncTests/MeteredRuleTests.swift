import LocalMetadata
import Testing

@testable import Sync

@Suite("What waits on a metered network")
struct MeteredRuleTests {
    private static let waiting: [MeteredRule.Transfer] = [
        .upload(isUrgent: false), .rest, .download(.kept), .download(.update), .download(.whenSpace),
    ]
    private static let wanted: [MeteredRule.Transfer] = [
        .upload(isUrgent: true), .download(.requested), .download(.program("cat")), .download(.unknown),
        .download(.package),
    ]

    private static func admitted(_ rule: MeteredRule) -> [Bool] { (waiting + wanted).map(rule.admits) }
    private static let all = (waiting + wanted).map { _ in true }
    private static let some = waiting.map { _ in false } + wanted.map { _ in true }

    @Test("what a person waits for is transferred, and everything else waits; without a report nothing waits")
    func transfers() {
        var rule = MeteredRule()
        #expect(Self.admitted(rule) == Self.all)
        rule.report(true, by: 1)
        #expect(Self.admitted(rule) == Self.some)
        rule.report(false, by: 1)
        #expect(Self.admitted(rule) == Self.all)
    }

    @Test("each client's report counts until that client takes it back; those of unknown clients change nothing")
    func reports() {
        var rule = MeteredRule()
        rule.report(false, by: 3)
        #expect(!rule.isMetered)
        for client in [1, 2, 1] as [UInt64] { rule.report(true, by: client) }
        rule.report(false, by: 1)
        rule.report(false, by: 3)
        #expect(rule.isMetered && rule.isWaiting)
        rule.report(false, by: 2)
        #expect(!rule.isMetered && !rule.isWaiting)
    }

    @Test("who chooses to continue is not held back, and is again after choosing to wait")
    func choice() {
        var rule = MeteredRule()
        rule.report(true, by: 1)
        rule.choice = .continue
        #expect(Self.admitted(rule) == Self.all && rule.isMetered && !rule.isWaiting)
        rule.choice = .wait
        #expect(Self.admitted(rule) == Self.some)
    }

    @Test(
        "an ignore file is downloaded although the network is metered: without it, what it excludes would be uploaded")
    func ignoreFile() {
        var rule = MeteredRule()
        rule.report(true, by: 1)
        #expect(rule.admits(.download(DownloadCause(wanted: DownloadPriority.ignoreFile))))
        #expect(!rule.admits(.download(DownloadCause(wanted: DownloadPriority.kept))))
    }
}
