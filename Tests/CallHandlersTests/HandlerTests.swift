import Basics
import CallHandlers
import CloudStorage
import DaemonProtocol
import DeviceSupport
import LocalMetadata
import Logging
import Sync
import Synchronization
import Testing
import Transfers
import VirtualFileSystem

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

    @Test(
        "the levels of the log are read and set, also of one area; one that does not exist is refused and changes nothing"
    )
    func logLevel() async throws {
        let device = try HandledDevice()
        let before = try await device.call(LogLevelRequest(level: nil))
        #expect(before?.level == "info")
        let after = try await device.call(LogLevelRequest(level: "debug"))
        #expect(after?.level == "debug" && device.daemon.logLevels == LogLevels(.debug))
        let area = try await device.call(LogLevelRequest(level: "cloud=trace"))
        #expect(area?.level == "debug,cloud=trace")
        for text in ["loud", "", "cloud=", "kitchen=debug", "debug,", "cloud=debug=trace"] {
            await #expect(throws: DaemonFailure.self) { _ = try await device.call(LogLevelRequest(level: text)) }
        }
        #expect(device.daemon.logLevels == LogLevels(.debug, areas: [.cloud: .trace]))
    }

    @Test("the state says that the device was taken offline at once, and no longer once it is online again")
    func online() async throws {
        let device = try HandledDevice()
        _ = try await device.call(SetOnlineRequest(isOnline: false))
        #expect(device.parts.engine.state == .offline(SwitchableCloud.refusal.message))
        #expect(try await device.call(StatusRequest())?.mount.cloud.reason == .takenOffline)
        _ = try await device.call(SetOnlineRequest(isOnline: true))
        #expect(device.parts.engine.state == .connecting)
        #expect(device.switches == [true, false])
    }

    @Test(
        "limits are read, set one by one, kept, shown in the state and removed; rates beyond the bounds change nothing")
    func limits() async throws {
        let device = try HandledDevice()
        let transfers = device.parts.engine.context.transfers
        #expect(try await device.call(LimitsRequest()) == LimitsResponse(onMetered: .wait))
        let one = LimitsResponse(up: 500_000, onMetered: .wait)
        #expect(try await device.call(LimitsRequest(up: 500_000)) == one)
        let both = LimitsResponse(up: 500_000, down: 10_000, onMetered: .wait)
        #expect(try await device.call(LimitsRequest(down: 10_000)) == both)
        #expect(transfers.up.rate == 500_000 && transfers.down.rate == 10_000)
        let status = try await device.call(StatusRequest())
        #expect(status?.mount.limits == LimitStatus(up: 500_000, down: 10_000))
        for rate in [1, 9_999, UInt64.max] {
            await #expect(throws: DaemonFailure.self) { _ = try await device.call(LimitsRequest(up: 0, down: rate)) }
        }
        #expect(try await device.call(LimitsRequest()) == both)
        let stored = TransferRates(in: device.parts.metadata, log: device.parts.context.log)
        #expect(stored == TransferRates(up: 500_000, down: 10_000, onMetered: .wait))
        let none = LimitsResponse(onMetered: .wait)
        #expect(try await device.call(LimitsRequest(up: 0, down: 0)) == none)
        #expect(transfers.up.rate == nil && transfers.down.rate == nil)
    }

    @Test(
        "a metered network is in the state until its reporter has gone; the choice is kept, and limits leave it as it is"
    )
    func metered() async throws {
        let device = try HandledDevice()
        func shown() async throws -> OnMetered? { try await device.call(StatusRequest())?.mount.metered }
        #expect(try await shown() == nil)
        _ = try await device.call(ReportMeteredRequest(isMetered: true))
        #expect(try await shown() == .wait)
        let chosen = try await device.call(LimitsRequest(onMetered: .continue))
        #expect(chosen == LimitsResponse(onMetered: .continue))
        #expect(try await shown() == .continue)
        let limited = try await device.call(LimitsRequest(up: 500_000))
        #expect(limited == LimitsResponse(up: 500_000, onMetered: .continue))
        let stored = TransferRates(in: device.parts.metadata, log: device.parts.context.log)
        #expect(stored == TransferRates(up: 500_000, onMetered: .continue))
        device.service.ended(2)
        #expect(try await shown() == .continue, "another client has gone")
        device.service.ended(1)
        #expect(try await shown() == nil)
        _ = try await device.call(ReportMeteredRequest(isMetered: true))
        _ = try await device.call(ReportMeteredRequest(isMetered: false))
        #expect(try await shown() == nil)
    }

    @Test(
        "figures of downloads have the most bytes first; a program that is refused is in the state until it is allowed")
    func figures() async throws {
        let device = try HandledDevice()
        let figures = device.parts.context.figures
        figures.counter(for: .program("cp"))(10)
        figures.counter(for: .kept)(30)
        figures.counter(for: .unknown)(20)
        let days = try await device.call(DownloadsRequest(days: 7))?.days
        #expect(days?.first?.sources.map(\.cause) == ["kept", "unknown", "program"])
        #expect(days?.first?.sources.map(\.program) == [nil, nil, "cp"])
        #expect(try await device.call(DownloadsRequest(days: .max))?.days == days)
        #expect(try await device.call(DownloadsRequest(days: .min))?.days == [])

        for number in UInt64(1)...65 {
            let look = DownloadBreaker.Reading(NodeID(number), size: 1 << 20, end: 10)
            _ = device.refused.closed(look, by: "indexer")
        }
        let refused = try await device.call(StatusRequest())?.mount.refusedPrograms
        #expect(refused?.map(\.program) == ["indexer"] && refused?.first?.seconds ?? 0 > 0)
        _ = try await device.call(AllowDownloadsRequest(program: "indexer"))
        #expect(try await device.call(StatusRequest())?.mount.refusedPrograms == nil)
        for name in ["", String(repeating: "a", count: 256), "indexer", "cp"] {
            await #expect(throws: DaemonFailure.self, "\(name)") {
                _ = try await device.call(AllowDownloadsRequest(program: name))
            }
        }
    }

    @Test("what is wrong with shared files is among the errors of the mount, as long as it is wrong")
    func databaseProblems() async throws {
        let device = try HandledDevice()
        #expect(try await device.call(StatusRequest())?.mount.errors == [])
        var database = DatabaseStatus(name: "ledger", container: "CloudDocs", path: "/home/anna/l.db", identifier: "1")
        #expect(database.failures.isEmpty)
        database.state = .waiting
        database.problem = DatabaseStatus.Problem(
            message: "the file is missing", advice: "Put it back.", since: WireTime(SystemTime().now()))
        (database.aside, database.refused, database.conflicts, database.lost) = (2, 1, 4, 9)
        device.daemon.problems.withLock { $0 = database.failures }
        let errors = try await device.call(StatusRequest())?.mount.errors ?? []
        #expect(
            errors.map(\.description) == [
                "the shared database ledger is not in step with the cloud: the file is missing: /home/anna/l.db. Put it back.",
                "the shared database ledger has rows that stand aside (3): /home/anna/l.db. "
                    + "List them with `ubiquity database resolve --database ledger`.",
                "the shared database ledger has rows with several values (4): /home/anna/l.db. "
                    + "List them with `ubiquity database resolve --database ledger`.",
            ])
        device.daemon.problems.withLock { $0 = [] }
        #expect(try await device.call(StatusRequest())?.mount.errors == [])
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
        #expect(response?.report.contains("transport   io_uring, 2 queues") == true)
    }
}
