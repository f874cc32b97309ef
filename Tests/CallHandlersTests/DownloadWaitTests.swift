import Basics
import DaemonProtocol
import Sync
import Testing

@testable import CallHandlers

@Suite("How long readers wait for downloads")
struct DownloadWaitTests {
    private let late = Patience.limit

    @Test("a reader waits for one patience while the cloud is unreachable, then fails with the reason")
    func away() {
        var wait = DownloadWait(arrivals: 3, now: .zero)
        let away = CloudState.offline("There is no cloud at /c.")
        #expect(wait.failure(away, arrivals: 3, now: late - .milliseconds(1)) == nil)
        let failure = wait.failure(away, arrivals: 3, now: late)
        #expect(failure?.code == .offline && failure?.message.contains("no cloud at /c") == true)
    }

    @Test("a cloud that was unreachable since the last bytes arrived, and is silent now, counts as unreachable")
    func flickers() {
        var wait = DownloadWait(arrivals: 0, now: .zero)
        #expect(wait.failure(.offline("The cloud does not respond."), arrivals: 0, now: .seconds(1)) == nil)
        #expect(wait.failure(.online, arrivals: 0, now: late)?.code == .offline)
    }

    @Test("arriving bytes restart the patience and clear the record of the outage")
    func progress() {
        var wait = DownloadWait(arrivals: 0, now: .zero)
        _ = wait.failure(.offline("away"), arrivals: 0, now: .seconds(1))
        #expect(wait.failure(.online, arrivals: 1, now: late) == nil)
        #expect(wait.failure(.online, arrivals: 1, now: late * 2 - .milliseconds(1)) == nil)
        #expect(wait.failure(.online, arrivals: 1, now: late * 2)?.code == .timedOut)
    }

    @Test("a reader does not wait for a cloud that needs an action of its user")
    func stopped() {
        var wait = DownloadWait(arrivals: 0, now: .zero)
        #expect(wait.failure(.stopped("It is another cloud."), arrivals: 0, now: .zero)?.code == .failed)
    }
}
