import CallHandlers
import CloudStorage
import DaemonProtocol
import Sync
import Testing

@Suite("Why the cloud is offline")
struct CloudReasonTests {
    @Test("each error of the cloud is a reason by which a program decides whether a person is needed")
    func reasons() {
        typealias Reason = CloudStatus.Reason
        let away = CloudState.offline("The cloud did something.")
        let expected: [(CloudError.Code?, Reason)] = [
            (.quota, .full), (.readOnly, .refused), (.unauthorized, .refused), (.tooOld, .stopped),
            (.offline, .unreachable), (.failed, .unreachable), (nil, .unreachable),
        ]
        for (code, reason) in expected { #expect(Reason(away, code) == reason) }
        #expect(Reason(.stopped("It is another cloud."), .foreign) == .stopped)
        #expect(Reason(.connecting, .quota) == .connecting)
    }

    @Test("a device that its user took offline has that reason whatever failed before")
    func takenOffline() {
        #expect(CloudStatus.Reason(.offline(SwitchableCloud.refusal.message), .quota) == .takenOffline)
    }

    @Test("an error of the cloud's state is no reason while it can be read; what it refuses has its own")
    func online() { #expect(CloudStatus.Reason(.online, .quota) == nil) }
}
