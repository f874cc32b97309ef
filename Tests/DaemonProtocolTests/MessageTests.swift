import Basics
import DaemonProtocol
import FoundationEssentials
import Testing

@Suite("Messages of the control socket")
struct MessageTests {
    @Test("every request arrives as it was sent", arguments: Samples.requests)
    func requestRoundTrip(_ request: DaemonRequest) throws {
        let envelope = ClientEnvelope(id: 7, request: request)
        #expect(
            try ControlFrame.decode(ClientEnvelope.self, from: ControlFrame.payload(envelope), calls: Samples.calls)
                == envelope)
    }

    @Test("every response arrives as it was sent", arguments: Samples.responses)
    func responseRoundTrip(_ response: DaemonResponse) throws {
        let envelope = DaemonEnvelope(id: 7, .response(response))
        #expect(
            try ControlFrame.decode(DaemonEnvelope.self, from: ControlFrame.payload(envelope), calls: Samples.calls)
                == envelope)
    }

    @Test(
        "failures and events arrive as they were sent",
        arguments: [
            DaemonEnvelope(id: 1, .failure(Samples.failure))
        ] + Samples.events.map { DaemonEnvelope(id: 2, .event($0)) })
    func bodyRoundTrip(_ envelope: DaemonEnvelope) throws {
        #expect(
            try ControlFrame.decode(DaemonEnvelope.self, from: ControlFrame.payload(envelope), calls: Samples.calls)
                == envelope)
    }

    @Test("the wire format does not change")
    func pinnedFormat() throws {
        let pin = ClientEnvelope(id: 3, request: DaemonRequest(PinRequest(paths: [Samples.oddPath], pin: .keep)))
        let text = String(decoding: try ControlFrame.payload(pin), as: UTF8.self)
        #expect(text == #"{"id":3,"request":{"pin":{"paths":[{"base64":"Q2xvdWREb2NzL2NhZuk="}],"pin":"keep"}}}"#)
        let failure = DaemonEnvelope(id: 3, .failure(DaemonFailure(.offline, "the cloud is away", path: "/m")))
        let response = String(decoding: try ControlFrame.payload(failure), as: UTF8.self)
        #expect(response == #"{"failure":{"code":"offline","message":"the cloud is away","path":"/m"},"id":3}"#)
    }

    @Test("an unknown verb is refused as unsupported, and the number of the request is still found")
    func unknownVerb() throws {
        let payload = Data(#"{"id":9,"request":{"levitate":{}}}"#.utf8)
        #expect(ControlFrame.requestID(of: payload) == 9)
        let failure = #expect(throws: DaemonFailure.self) {
            try ControlFrame.decode(ClientEnvelope.self, from: payload, calls: Samples.calls)
        }
        #expect(failure?.code == .unsupported)
    }

    @Test("fields, failure codes and events of a later version are accepted")
    func laterVersion() throws {
        let failure = Data(#"{"id":1,"failure":{"code":"gravity","message":"it fell","mood":"sad"}}"#.utf8)
        let expected = DaemonEnvelope(id: 1, .failure(DaemonFailure(.failed, "it fell")))
        #expect(try ControlFrame.decode(DaemonEnvelope.self, from: failure, calls: Samples.calls) == expected)
        let event = Data(#"{"id":0,"event":{"weather":{"rain":true}}}"#.utf8)
        #expect(
            try ControlFrame.decode(DaemonEnvelope.self, from: event, calls: Samples.calls)
                == DaemonEnvelope(id: 0, .event(.alive)))
    }

    @Test("only another major version is refused")
    func versions() {
        let own = ProtocolVersion(major: 1, minor: 4)
        #expect(own.understands(ProtocolVersion(major: 1, minor: 9)))
        #expect(!own.understands(ProtocolVersion(major: 2, minor: 4)))
    }

    @Test("times are sent with millisecond precision", arguments: [0, 1_700_000_000, -1, -86_400])
    func times(seconds: Int64) throws {
        let time = WireTime(.init(seconds: seconds, nanoseconds: 250_000_000))
        let payload = try ControlFrame.payload([time])
        #expect(try ControlFrame.decode([WireTime].self, from: payload) == [time])
    }

    @Test("the text of a failure says what happened, to which item, and what to do")
    func failureText() {
        #expect("\(Samples.failure)" == "the item is not in the cloud yet: /m/a. Sync it first.")
        #expect("\(DaemonFailure(.failed, "it fell"))" == "it fell")
    }
}
