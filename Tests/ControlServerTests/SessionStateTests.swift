import ControlServer
import DaemonProtocol
import Testing

@Suite("What a connection may do")
struct SessionStateTests {
    private let identity = HelloResponse(pid: 1, mount: "/m", state: "/s")
    private let hello = ClientEnvelope(id: 1, request: DaemonRequest(HelloRequest(program: "test")))

    private func greeted(maximumRequests: Int = 2) -> SessionState {
        var state = SessionState(
            identity: identity, maximumRequests: maximumRequests, maximumClaims: 3, maximumStreams: 2)
        _ = state.received(hello)
        return state
    }

    private func check(_ id: UInt64) -> ClientEnvelope {
        ClientEnvelope(id: id, request: DaemonRequest(CheckRequest()))
    }

    private func code(_ verdict: SessionState.Verdict) -> DaemonFailure.Code? {
        switch verdict {
        case .answer(let envelope), .refuse(let envelope):
            if case .failure(let failure) = envelope.body { failure.code } else { nil }
        case .perform: nil
        }
    }

    @Test(
        "requests that wait for bytes use no request slots and can be ended; claims end only by their own request"
    )
    func waits() {
        var state = greeted(maximumRequests: 1)
        let wait = DaemonRequest(DownloadRequest(paths: [.root], wait: true))
        for id in 2...4 as ClosedRange<UInt64> {
            #expect(code(state.received(ClientEnvelope(id: id, request: wait))) == nil)
        }
        #expect(code(state.received(ClientEnvelope(id: 5, request: wait))) == .busy)
        #expect(code(state.received(check(6))) == nil)
        #expect(state.isEndable(2) && state.isEndable(6) && !state.isEndable(5))
        state.finished(2)
        #expect(!state.isEndable(2))
        let claim = DaemonRequest(AccessRequest(accesses: [WantedAccess(path: .root, mode: .read)]))
        #expect(code(state.received(ClientEnvelope(id: 7, request: claim))) == nil)
        #expect(!state.isEndable(7))
    }

    @Test("a hello is answered with the daemon's identity")
    func greeting() {
        var state = SessionState(identity: identity, maximumRequests: 2, maximumClaims: 3, maximumStreams: 2)
        #expect(state.received(hello) == .answer(DaemonEnvelope(id: 1, .response(identity))))
        #expect(state.program == "test")
    }

    @Test("without a hello no request is carried out")
    func noHello() {
        var state = SessionState(identity: identity, maximumRequests: 2, maximumClaims: 3, maximumStreams: 2)
        let verdict = state.received(check(1))
        #expect(code(verdict) == .invalidRequest)
        if case .perform = verdict { Issue.record("it was performed") }
    }

    @Test("another major version is refused, another minor one is not")
    func versions() {
        var state = SessionState(identity: identity, maximumRequests: 2, maximumClaims: 3, maximumStreams: 2)
        let later = ProtocolVersion(major: ProtocolVersion.current.major + 1, minor: 0)
        let refused = state.received(
            ClientEnvelope(id: 1, request: DaemonRequest(HelloRequest(version: later, program: "x"))))
        #expect(code(refused) == .versionMismatch)
        #expect(state.program == nil)
        let minor = ProtocolVersion(major: ProtocolVersion.current.major, minor: 99)
        _ = state.received(ClientEnvelope(id: 2, request: DaemonRequest(HelloRequest(version: minor, program: "x"))))
        #expect(state.program == "x")
    }

    @Test(
        "waiting claims use no request slots, and requests that end them are handled at once under any load"
    )
    func claims() {
        var state = greeted()
        let claim = DaemonRequest(AccessRequest(accesses: []))
        for id in 2..<5 as Range<UInt64> {
            #expect(state.received(ClientEnvelope(id: id, request: claim)) == .perform(id: id, claim))
        }
        #expect(code(state.received(ClientEnvelope(id: 5, request: claim))) == .busy)
        for id in 6..<8 as Range<UInt64> { _ = state.received(check(id)) }
        #expect(code(state.received(check(8))) == .busy)
        let brief: [DaemonRequest] = [
            DaemonRequest(FinishRequest(claim: 2)), DaemonRequest(AnswerRequest(question: 1)),
            DaemonRequest(WithdrawRequest(presenter: 1)),
        ]
        for request in brief {
            #expect(state.received(ClientEnvelope(id: 9, request: request)) == .perform(id: 9, request))
        }
        state.finished(2)
        #expect(state.received(ClientEnvelope(id: 10, request: claim)) == .perform(id: 10, claim))
    }

    @Test("requests beyond the limit are answered as busy until one has finished")
    func limit() {
        var state = greeted()
        #expect(state.received(check(2)) == .perform(id: 2, DaemonRequest(CheckRequest())))
        #expect(state.received(check(3)) == .perform(id: 3, DaemonRequest(CheckRequest())))
        #expect(code(state.received(check(4))) == .busy)
        state.finished(2)
        #expect(state.received(check(4)) == .perform(id: 4, DaemonRequest(CheckRequest())))
    }

    @Test("the number of a pending request may not be reused, the number of a finished request may")
    func numbers() {
        var state = greeted()
        _ = state.received(check(2))
        #expect(code(state.received(check(2))) == .invalidRequest)
        state.finished(2)
        #expect(state.received(check(2)) == .perform(id: 2, DaemonRequest(CheckRequest())))
    }
}
