import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("Frames of the control socket")
struct ControlFrameTests {
    @Test("frames are returned whole and in order, however the stream was split", arguments: UInt64(1)...40)
    func splitting(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let messages = (0..<Int.random(in: 1...20, using: &generator)).map { index in
            ClientEnvelope(
                id: UInt64(index), request: Samples.requests.randomElement(using: &generator) ?? Samples.requests[0])
        }
        var stream = try messages.flatMap { try ControlFrame.frame($0) }[...]
        var splitter = FrameSplitter()
        var received: [ClientEnvelope] = []
        while !stream.isEmpty {
            let piece = stream.prefix(Int.random(in: 1...400, using: &generator))
            stream = stream.dropFirst(piece.count)
            splitter.append(piece)
            while let payload = try splitter.next() {
                received.append(try ControlFrame.decode(ClientEnvelope.self, from: payload, calls: Samples.calls))
            }
        }
        #expect(received == messages, "seed \(seed)")
    }

    @Test("a length above the limit is refused before its bytes arrive")
    func tooLong() throws {
        var splitter = FrameSplitter()
        splitter.append([0x00, 0x20, 0x00, 0x01])
        #expect(throws: DaemonFailure.self) { try splitter.next() }
    }

    @Test("a message that makes a frame too long is not sent")
    func tooLongToSend() {
        let envelope = DaemonEnvelope(
            id: 1,
            .response(
                DaemonResponse(DiagnoseResponse(report: String(repeating: "x", count: ControlFrame.maximumLength)))))
        #expect(throws: DaemonFailure.self) { try ControlFrame.frame(envelope) }
    }

    @Test("damaged messages decode to an error or a message, and never crash", arguments: UInt64(1)...20)
    func damage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for response in Samples.responses {
            var payload = try ControlFrame.payload(DaemonEnvelope(id: 1, .response(response)))
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<payload.count, using: &generator)
                payload[place] = UInt8.random(in: 0...255, using: &generator)
            }
            let cut = payload.prefix(Int.random(in: 0...payload.count, using: &generator))
            for data in [payload, Data(cut)] {
                guard let message = try? ControlFrame.decode(DaemonEnvelope.self, from: data, calls: Samples.calls)
                else { continue }
                // Every decodable message must be encodable.
                #expect(throws: Never.self, "seed \(seed)") { try ControlFrame.payload(message) }
            }
        }
    }
}
