import ControlServer
import DaemonProtocol
import Testing

/// Requests handled on the reading thread if they are binary frames, and in the session's task if they are JSON. The
/// order of responses is the same.
@Suite("Requests that are answered immediately")
struct PromptResponseTests {
    private let hello = DaemonRequest(HelloRequest(program: "test", binaryFrames: BinaryFrame.version))
    private let granted = DaemonResponse(GrantedResponse(paths: [.root], claim: 7))
    private let done = DaemonResponse(DoneResponse())

    private var claim: DaemonRequest {
        get throws { DaemonRequest(AccessRequest(accesses: [WantedAccess(path: try MountPath("a"), mode: .read)])) }
    }

    private func finish(_ claim: UInt64, isQuiet: Bool? = nil) -> DaemonRequest {
        DaemonRequest(FinishRequest(claim: claim, isQuiet: isQuiet))
    }

    /// Returns a handler that responds to claims immediately and delays all other requests until the gate opens.
    private func handler(_ gate: Gate) -> ScriptedHandler {
        ScriptedHandler { [granted] request in
            if request.call is AccessRequest { .now(granted) } else { nil }
        } _: { [done] _ in
            await gate.wait()
            return done
        }
    }

    @Test(
        "a request that need not wait is answered while other requests of the connection wait",
        arguments: [true, false])
    func overtaking(isBinary: Bool) async throws {
        let gate = Gate()
        try await FakeDaemon.with(handler(gate)) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            try await stream.send([hello])
            #expect(try await stream.next()?.id == 1)
            try await stream.send([DaemonRequest(StopRequest(upload: true)), try claim], from: 2, isBinary: isBinary)
            #expect(try await stream.next() == DaemonEnvelope(id: 3, .response(granted)))
            gate.open()
            #expect(try await stream.next() == DaemonEnvelope(id: 2, .response(done)))
        }
    }

    @Test(
        "no request is answered before the hello, and reusing the number of a pending request ends the connection",
        arguments: [true, false])
    func admission(isBinary: Bool) async throws {
        let gate = Gate()
        try await FakeDaemon.with(handler(gate)) { daemon in
            let early = try await RawClient.connect(daemon.record)
            try await early.send([try claim], isBinary: isBinary)
            #expect(try await early.next()?.failureCode == .invalidRequest)
            #expect(try await early.next() == nil, "the connection ends")
            let twice = try await RawClient.connect(daemon.record)
            try await twice.send([hello])
            _ = try await twice.next()
            try await twice.send([DaemonRequest(StopRequest(upload: true))], from: 2)
            try await twice.send([try claim], from: 2, isBinary: isBinary)
            #expect(try await twice.next()?.failureCode == .invalidRequest)
            #expect(try await twice.next() == nil, "the connection ends")
            gate.open()
        }
    }

    @Test(
        "a quiet finish is carried out without a response, immediately or not", arguments: [true, false], [true, false])
    func quiet(atOnce: Bool, isBinary: Bool) async throws {
        let handler = ScriptedHandler { [done] request in
            if request.call is FinishRequest, atOnce { .now(done) } else { nil }
        } _: { [done] _ in
            done
        }
        try await FakeDaemon.with(handler) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            try await stream.send([hello, finish(8, isQuiet: true), finish(9)], isBinary: isBinary)
            #expect(try await stream.next()?.id == 1)
            #expect(try await stream.next() == DaemonEnvelope(id: 3, .response(done)))
        }
    }

    @Test("requests that cannot be answered immediately keep their order", arguments: [true, false])
    func order(isBinary: Bool) async throws {
        let handler = ScriptedHandler { [done] _ in done }
        try await FakeDaemon.with(handler) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            let requests = (UInt64(1)...200).map { finish($0) }
            try await stream.send([hello] + requests, isBinary: isBinary)
            for id in UInt64(1)...201 { #expect(try await stream.next()?.id == id) }
            #expect(handler.requests == requests)
        }
    }

    @Test(
        "brief requests that were begun immediately are finished one after the other, before the next request is read",
        arguments: [true, false])
    func briefOrder(isBinary: Bool) async throws {
        let handler = ScriptedHandler { [done] request in
            guard request.call is FinishRequest else { return nil }
            return .later {
                await Task.yield()
                return done
            }
        } _: { [done] _ in
            done
        }
        try await FakeDaemon.with(handler) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            try await stream.send([hello] + (UInt64(1)...200).map { finish($0) }, isBinary: isBinary)
            for id in UInt64(1)...201 { #expect(try await stream.next()?.id == id) }
        }
    }

    @Test(
        "a request that was begun immediately and takes longer is answered when it has finished or failed",
        arguments: [true, false])
    func later(isBinary: Bool) async throws {
        let gate = Gate()
        let refusal = DaemonFailure(.timedOut, "its turn did not come")
        let handler = ScriptedHandler { [granted] request in
            guard let claim = request.call as? AccessRequest else { return nil }
            return .later {
                await gate.wait()
                guard claim.purpose == nil else { throw refusal }
                return granted
            }
        } _: { [done] _ in
            done
        }
        let claim = try claim
        let access = WantedAccess(path: try MountPath("b"), mode: .read)
        let other = DaemonRequest(AccessRequest(accesses: [access], purpose: "p"))
        try await FakeDaemon.with(handler) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            try await stream.send([hello])
            #expect(try await stream.next()?.id == 1)
            try await stream.send([claim, finish(9), other], from: 2, isBinary: isBinary)
            #expect(try await stream.next()?.id == 3)
            gate.open()
            let last = Set([try await stream.next(), try await stream.next()])
            #expect(last == [DaemonEnvelope(id: 2, .response(granted)), DaemonEnvelope(id: 4, .failure(refusal))])
        }
    }
}

extension DaemonEnvelope {
    var failureCode: DaemonFailure.Code? {
        if case .failure(let failure) = body { failure.code } else { nil }
    }
}
