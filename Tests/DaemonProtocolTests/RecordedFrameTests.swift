import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

/// Programs and daemons of different releases work together, so the JSON form of a message must not change.
@Suite("Frames of an earlier release")
struct RecordedFrameTests {
    private let claim: AccessRequest
    private let granted: GrantedResponse

    init() throws {
        let path = try MountPath("CloudDocs/Documents/a")
        claim = AccessRequest(
            accesses: [WantedAccess(path: path, mode: .read, options: [.withoutChanges])],
            purpose: "coordinator-2987E1DD-823F-4D65-89E3-05CB8A26C8D9-1")
        granted = GrantedResponse(paths: [path], claim: 2, isWhole: true)
    }

    private var requests: [(recorded: [UInt8], envelope: ClientEnvelope)] {
        [
            (
                RecordedFrames.hello,
                ClientEnvelope(
                    id: 1, HelloRequest(version: ProtocolVersion(major: 1, minor: 8), program: "presenter-tool"))
            ),
            (RecordedFrames.claim, ClientEnvelope(id: 2, claim)),
            (RecordedFrames.quietFinish, ClientEnvelope(id: 3, FinishRequest(claim: 2, isQuiet: true))),
        ]
    }

    private var responses: [(recorded: [UInt8], envelope: DaemonEnvelope)] {
        let hello = HelloResponse(
            version: ProtocolVersion(major: 1, minor: 8), pid: 32_738, mount: "/home/u/MobileDocuments",
            state: "/home/u/state")
        return [
            (RecordedFrames.helloResponse, DaemonEnvelope(id: 1, .response(hello))),
            (RecordedFrames.granted, DaemonEnvelope(id: 2, .response(granted))),
        ]
    }

    private func payload(_ frame: [UInt8]) -> Data { Data(frame.dropFirst(ControlFrame.headerLength)) }

    @Test("requests are read as before, and written to the same bytes where no binary frames are agreed")
    func requestFrames() throws {
        for (recorded, envelope) in requests {
            let decoded = try ControlFrame.decode(
                ClientEnvelope.self, from: payload(recorded), calls: Samples.calls)
            #expect(decoded == envelope)
            #expect(try ControlFrame.frame(envelope, isBinary: false) == recorded)
        }
    }

    @Test("responses are read as before, and written to the same bytes where no binary frames are agreed")
    func responseFrames() throws {
        for (recorded, envelope) in responses {
            let decoded = try ControlFrame.decode(
                DaemonEnvelope.self, from: payload(recorded), calls: Samples.calls)
            #expect(decoded == envelope)
            #expect(try ControlFrame.frame(envelope, isBinary: false) == recorded)
        }
    }
}
