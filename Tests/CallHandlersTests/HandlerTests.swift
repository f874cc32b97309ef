import CallHandlers
import CloudStorage
import DaemonProtocol
import DeviceSupport
import Logging
import Sync
import Synchronization
import Testing

@Suite("Handlers without a daemon")
struct HandlerTests {
    @Test("a request for downloads is passed on for each item, and a path at which nothing is has its own failure")
    func downloads() async throws {
        let device = try HandledDevice()
        try device.parts.save("a.txt", "text")
        let paths = [try device.path("a.txt"), try device.path("b.txt")]
        let response = try await device.call(DownloadRequest(paths: paths, wait: false))
        let outcomes = try #require(response?.outcomes)
        #expect(outcomes.map(\.failure?.code) == [nil, .notFound])
        #expect(outcomes.map(\.items) == [1, 0])
        #expect(device.requestedDownloads == ["a.txt"])
    }

    @Test("the daemon is stopped after the response to a stop, not before")
    func stop() async throws {
        let device = try HandledDevice()
        let request = StopRequest(upload: false)
        let response = try await device.call(request)
        #expect(response == DoneResponse())
        #expect(device.daemon.stops.withLock { $0 }.isEmpty)
        await device.service.didRespond(DaemonRequest(request))
        #expect(device.daemon.stops.withLock { $0 } == ["stop"])
    }

    @Test("the log level is read and set; one that does not exist is refused and changes nothing")
    func logLevel() async throws {
        let device = try HandledDevice()
        let before = try await device.call(LogLevelRequest(level: nil))
        #expect(before?.level == "info")
        let after = try await device.call(LogLevelRequest(level: "debug"))
        #expect(after?.level == "debug" && device.daemon.logLevel == .debug)
        await #expect(throws: DaemonFailure.self) { _ = try await device.call(LogLevelRequest(level: "loud")) }
        #expect(device.daemon.logLevel == .debug)
    }

    @Test("the state says that the device was taken offline at once, and no longer once it is online again")
    func online() async throws {
        let device = try HandledDevice()
        _ = try await device.call(SetOnlineRequest(isOnline: false))
        #expect(device.parts.engine.state == .offline(SwitchableCloud.refusal.message))
        _ = try await device.call(SetOnlineRequest(isOnline: true))
        #expect(device.parts.engine.state == .connecting)
        #expect(device.switches == [true, false])
    }

    @Test("a check reports damaged settings as a problem, and a repair reports them as repaired")
    func settings() async throws {
        let device = try HandledDevice()
        let check = try await device.call(CheckRequest())
        #expect(check?.problems.map(\.message) == ["the settings are damaged"])
        let repair = try await device.call(CheckRequest(repair: true))
        #expect(repair?.repairs.map(\.message) == ["the settings were damaged"])
    }

    @Test("a report counts the kernel's requests")
    func report() async throws {
        let device = try HandledDevice()
        let response = try await device.call(DiagnoseRequest())
        #expect(response?.requests == ["read": 3])
        #expect(response?.requestsInProgress == 1)
        #expect(response?.requestCosts == ["reads": 0, "commits": 0, "syncs": 0])
        #expect(response?.report.contains("mount       /mount") == true)
    }
}
