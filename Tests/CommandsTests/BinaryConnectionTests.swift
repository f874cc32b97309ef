import ControlServer
import DaemonProtocol
import TestSupport
import Testing

/// The daemon's end of binary frames: agreed in the hello, refused otherwise.
@Suite("Connections with binary frames")
struct BinaryConnectionTests {
    private let handler = ScriptedHandler { request in
        if request.call is FinishRequest { return .now(DaemonResponse(DoneResponse())) }
        guard let claim = request.call as? AccessRequest else { return nil }
        let paths = claim.accesses.map(\.path)
        return .now(DaemonResponse(GrantedResponse(paths: paths, claim: 2, isWhole: true)))
    } _: { _ in
        DaemonResponse(DiagnoseResponse(report: "well"))
    }

    private let offer = DaemonRequest(HelloRequest(program: "test", binaryFrames: BinaryFrame.version))
    private let claim = ClientEnvelope(id: 2, AccessRequest(accesses: [WantedAccess(path: .root, mode: .read)]))

    /// Sends the hello, and returns the payload of its response.
    private func greeted(
        _ daemon: FakeDaemon, _ hello: DaemonRequest
    ) async throws -> (client: RawClient, response: HelloResponse) {
        let client = try await RawClient.connect(daemon.record)
        try await client.send([hello])
        guard case .response(let response)? = try await client.next()?.body,
            let hello = response.value as? HelloResponse
        else { throw DaemonFailure(.failed, "no response to the hello") }
        return (client, hello)
    }

    @Test("after the hello agreed, claims and their responses are binary and everything else is JSON")
    func agreed() async throws {
        try await FakeDaemon.with(handler) { [claim, offer] daemon in
            let (client, hello) = try await greeted(daemon, offer)
            #expect(hello.binaryFrames == BinaryFrame.version)
            try await client.send(bytes: try ControlFrame.frame(claim, isBinary: true))
            let granted = try await client.nextPayload()
            #expect(granted?.first == 3)
            try await client.send([DaemonRequest(DiagnoseRequest())], from: 3)
            let report = try await client.nextPayload()
            #expect(report?.first == UInt8(ascii: "{"))
            // JSON stays possible for every request.
            try await client.send([DaemonRequest(FinishRequest(claim: 2))], from: 4)
            let done = try await client.next()
            #expect(done == DaemonEnvelope(id: 4, .response(DoneResponse())))
        }
    }

    @Test("a client of an earlier release gets the bytes that its own daemon would have sent")
    func earlierClient() async throws {
        try await FakeDaemon.with(handler) { daemon in
            let client = try await RawClient.connect(daemon.record)
            try await client.send(bytes: RecordedFrames.hello)
            guard case .response(let response)? = try await client.next()?.body else {
                Issue.record("no response to the hello")
                return
            }
            #expect((response.value as? HelloResponse)?.binaryFrames == nil)
            try await client.send(bytes: RecordedFrames.claim + RecordedFrames.quietFinish)
            let granted = try await client.nextPayload()
            #expect(granted == Array(RecordedFrames.granted.dropFirst(ControlFrame.headerLength)))
            // The quiet finish has no response.
            try await client.send([DaemonRequest(DiagnoseRequest())], from: 4)
            #expect(try await client.next()?.id == 4)
        }
    }

    @Test("a binary frame on which no hello agreed ends the connection with a failure")
    func notAgreed() async throws {
        try await FakeDaemon.with(handler) { [claim] daemon in
            let frame = try ControlFrame.frame(claim, isBinary: true)
            let early = try await RawClient.connect(daemon.record)
            try await early.send(bytes: frame)
            let (plain, _) = try await greeted(daemon, DaemonRequest(HelloRequest(program: "test")))
            try await plain.send(bytes: frame)
            for client in [early, plain] {
                let refusal = try await client.next()
                #expect(refusal?.id == 0)
                #expect(refusal?.failureCode == .invalidRequest)
                let end = try await client.next()
                #expect(end == nil)
            }
            #expect(handler.requests.isEmpty)
        }
    }

    @Test(
        "a malformed binary frame ends the connection with a failure, and no other connection",
        arguments: [
            [0], [5, 1], [1], [1, 2, 0xFF], [3, 2, 1, 0, 0], [4, 2], [2, 2, 7, 1, 0],
            [1, 2, 0, 1, 0, 0, 2, 0x2E, 0x2E],
        ] as [[UInt8]])
    func malformed(payload: [UInt8]) async throws {
        try await FakeDaemon.with(handler) { [claim, offer] daemon in
            let (other, _) = try await greeted(daemon, offer)
            let (client, _) = try await greeted(daemon, offer)
            let valid = try ControlFrame.frame(claim, isBinary: true)
            try await client.send(bytes: [0, 0, 0, UInt8(payload.count)] + payload + valid)
            let refusal = try await client.next()
            #expect(refusal?.id == 0)
            #expect(refusal?.failureCode == .invalidRequest)
            let end = try await client.next()
            #expect(end == nil, "what follows is not read")
            try await other.send(bytes: valid)
            #expect(try await other.next()?.id == 2)
        }
    }

    @Test("a later version in the offer is accepted as the version that the daemon knows")
    func later() async throws {
        try await FakeDaemon.with(handler) { daemon in
            let (_, hello) = try await greeted(
                daemon, DaemonRequest(HelloRequest(program: "test", binaryFrames: .max)))
            #expect(hello.binaryFrames == BinaryFrame.version)
        }
    }
}
