import Basics
import DaemonProtocol
import Sync
import Testing

@testable import DaemonCore

@Suite("How long downloads are waited for")
struct DownloadWaitTests {
    private let late = Patience.limit

    @Test("while the cloud is away, for one patience; then with the reason")
    func away() {
        var wait = DownloadWait(arrivals: 3, now: .zero)
        let away = CloudState.offline("There is no cloud at /c.")
        #expect(wait.failure(away, arrivals: 3, now: late - .milliseconds(1)) == nil)
        let failure = wait.failure(away, arrivals: 3, now: late)
        #expect(failure?.code == .offline && failure?.message.contains("no cloud at /c") == true)
    }

    @Test("a cloud that was away since anything came, and is silent now, counts as away")
    func flickers() {
        var wait = DownloadWait(arrivals: 0, now: .zero)
        #expect(wait.failure(.offline("The cloud sends nothing."), arrivals: 0, now: .seconds(1)) == nil)
        #expect(wait.failure(.online, arrivals: 0, now: late)?.code == .offline)
    }

    @Test("whatever comes begins a new patience, and forgets that the cloud was away")
    func progress() {
        var wait = DownloadWait(arrivals: 0, now: .zero)
        _ = wait.failure(.offline("away"), arrivals: 0, now: .seconds(1))
        #expect(wait.failure(.online, arrivals: 1, now: late) == nil)
        #expect(wait.failure(.online, arrivals: 1, now: late * 2 - .milliseconds(1)) == nil)
        #expect(wait.failure(.online, arrivals: 1, now: late * 2)?.code == .timedOut)
    }

    @Test("a cloud that cannot be used until its user does something is not waited for")
    func stopped() {
        var wait = DownloadWait(arrivals: 0, now: .zero)
        #expect(wait.failure(.stopped("It is another cloud."), arrivals: 0, now: .zero)?.code == .failed)
    }
}
