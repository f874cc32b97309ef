import ControlServer
import DaemonProtocol
import Testing

@Suite("Routing of calls")
struct CallRouterTests {
    private let client = ClientContext(connection: 7, request: 1, processID: 1, userID: 0, program: "test")

    private func diagnosing() -> CallRouter {
        var router = CallRouter()
        router.on { (_: DiagnoseRequest) in DiagnoseResponse(report: "well") }
        return router
    }

    @Test("a request reaches the handler registered for its verb")
    func handling() async throws {
        var router = diagnosing()
        router.on { (pin: PinRequest, client) in
            ItemsResponse(outcomes: pin.paths.map { ItemOutcome(path: $0, items: client.connection) })
        }
        let report = try await router.handle(DaemonRequest(DiagnoseRequest()), from: client)
        #expect(report == DaemonResponse(DiagnoseResponse(report: "well")))
        let pinned = try await router.handle(DaemonRequest(PinRequest(paths: [.root], pin: .keep)), from: client)
        #expect(pinned == DaemonResponse(ItemsResponse(outcomes: [ItemOutcome(path: .root, items: 7)])))
        #expect(router.calls.verbs == ["diagnose", "pin"])
    }

    @Test("a request without a handler fails as unsupported, without events and without an early response")
    func unknown() async throws {
        let router = diagnosing()
        let check = DaemonRequest(CheckRequest())
        let failure = await #expect(throws: DaemonFailure.self) { try await router.handle(check, from: client) }
        #expect(failure?.code == .unsupported)
        #expect(router.respondAtOnce(check, from: client) == nil)
        let events = try await router.events(check, from: client)
        #expect(events == nil)
    }

    @Test("only calls that are registered for it are begun immediately, have events, or run a follow-up")
    func parts() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        var router = diagnosing()
        router.on(FinishRequest.self, prompt: { _, _ in .now(DaemonResponse(DoneResponse())) })
        router.on({ (_: StopRequest) in DoneResponse() }, afterwards: { end.finish() })
        router.onEvents(of: MonitorRequest.self) { _, _ in
            CallRouter.Events { events in
                events.yield(.alive)
                events.finish()
            }
        }
        let early = try #require(router.respondAtOnce(DaemonRequest(FinishRequest(claim: 1)), from: client))
        if case .now(let response) = early {
            #expect(response == DaemonResponse(DoneResponse()))
        } else {
            Issue.record("it was begun, not done")
        }
        let handled = try await router.handle(DaemonRequest(FinishRequest(claim: 1)), from: client)
        #expect(handled == DaemonResponse(DoneResponse()))
        #expect(router.respondAtOnce(DaemonRequest(DiagnoseRequest()), from: client) == nil)
        let events = try #require(try await router.events(DaemonRequest(MonitorRequest()), from: client))
        var received: [DaemonEvent] = []
        for try await event in events { received.append(event) }
        #expect(received == [.alive])
        router.didRespond(DaemonRequest(DiagnoseRequest()))
        end.yield()
        router.didRespond(DaemonRequest(StopRequest(upload: false)))
        end.yield()
        let count = await ends.reduce(0) { count, _ in count + 1 }
        #expect(count == 1, "the stop, and nothing before it, ended the stream")
    }
}
