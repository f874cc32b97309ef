import Basics
import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("Binary frames")
struct BinaryFrameTests {
    @Test("a request has the same meaning in both forms", arguments: UInt64(1)...200)
    func requests(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let envelope = ClientEnvelope.random(using: &generator)
        let binary = try #require(envelope.binary)
        #expect(try ClientEnvelope(binary: binary) == envelope, "seed \(seed)")
        let json = try ControlFrame.payload(envelope)
        #expect(
            try ControlFrame.decode(ClientEnvelope.self, from: json, calls: Samples.calls) == envelope, "seed \(seed)")
    }

    @Test("a response has the same meaning in both forms", arguments: UInt64(1)...200)
    func responses(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let envelope = DaemonEnvelope.random(using: &generator)
        let binary = try #require(envelope.binary)
        #expect(try DaemonEnvelope(binary: binary) == envelope, "seed \(seed)")
        let json = try ControlFrame.payload(envelope)
        #expect(
            try ControlFrame.decode(DaemonEnvelope.self, from: json, calls: Samples.calls) == envelope, "seed \(seed)")
    }

    @Test("a frame that is cut short or has a byte too many is refused", arguments: UInt64(1)...50)
    func length(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let request = try #require(ClientEnvelope.random(using: &generator).binary)
        let response = try #require(DaemonEnvelope.random(using: &generator).binary)
        for count in 0..<request.count {
            #expect(throws: ByteCodingError.self, "seed \(seed), \(count) bytes") {
                try ClientEnvelope(binary: Array(request.prefix(count)))
            }
        }
        for count in 0..<response.count {
            #expect(throws: ByteCodingError.self, "seed \(seed), \(count) bytes") {
                try DaemonEnvelope(binary: Array(response.prefix(count)))
            }
        }
        #expect(throws: ByteCodingError.self) { try ClientEnvelope(binary: request + [0]) }
        #expect(throws: ByteCodingError.self) { try DaemonEnvelope(binary: response + [0]) }
    }

    @Test("a damaged frame is refused, or is another message that can be written again", arguments: UInt64(1)...100)
    func damage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let request = try #require(ClientEnvelope.random(using: &generator).binary)
        let response = try #require(DaemonEnvelope.random(using: &generator).binary)
        for _ in 0..<50 {
            if let message = try? ClientEnvelope(binary: request.damaged(using: &generator)) {
                let again = try #require(message.binary)
                #expect(try ClientEnvelope(binary: again) == message, "seed \(seed)")
            }
            if let message = try? DaemonEnvelope(binary: response.damaged(using: &generator)) {
                let again = try #require(message.binary)
                #expect(try DaemonEnvelope(binary: again) == message, "seed \(seed)")
            }
        }
    }

    @Test(
        "a frame with an unknown or forbidden value is refused",
        arguments: [
            [], [0], [5, 1], [8, 1], [3, 1], [4, 1],
            // A claim: unknown field, mode and option, a count beyond the end, a path leaving the mount, NUL in a path.
            [1, 1, 0x20, 0], [1, 1, 0, 1, 2, 0, 1, 0x61], [1, 1, 0, 1, 0, 1, 8, 1, 0x61], [1, 1, 0, 0xFF, 0xFF, 0x7F],
            [1, 1, 0, 1, 0, 0, 2, 0x2E, 0x2E], [1, 1, 0, 1, 0, 0, 1, 0],
            // A purpose with invalid UTF-8; an infinite timeout.
            [1, 1, 1, 1, 0xFF, 0], [1, 1, 2, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F, 0],
            // A finish with an unknown flag; a number of more than 64 bits.
            [2, 1, 1, 3], [2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 1, 0],
        ] as [[UInt8]])
    func forbidden(bytes: [UInt8]) {
        #expect(throws: ByteCodingError.self) { try ClientEnvelope(binary: bytes) }
    }

    @Test(
        "a client refuses requests, unknown kinds and unknown flags",
        arguments: [[1, 1, 0, 0], [2, 1, 1, 0], [5, 1], [3, 1, 1, 3, 0]] as [[UInt8]])
    func forbiddenResponses(bytes: [UInt8]) {
        #expect(throws: ByteCodingError.self) { try DaemonEnvelope(binary: bytes) }
    }

    @Test("the first byte distinguishes the two forms")
    func firstByte() throws {
        for byte in UInt8(0)...8 { #expect(BinaryFrame.begins(with: byte)) }
        // RFC 8259: white space, then an object; some programs write a byte order mark before it.
        for byte in Array("\t\n\r {".utf8) + [0xEF] { #expect(!BinaryFrame.begins(with: byte)) }
        #expect(!BinaryFrame.begins(with: nil))
        for request in Samples.requests {
            let frame = try ControlFrame.frame(ClientEnvelope(id: 1, request: request), isBinary: true)
            let isFrequent = request.call is AccessRequest || request.call is FinishRequest
            #expect(BinaryFrame.begins(with: frame[ControlFrame.headerLength]) == isFrequent, "\(request.verb)")
        }
        for response in Samples.responses {
            let frame = try ControlFrame.frame(DaemonEnvelope(id: 1, .response(response)), isBinary: true)
            let isFrequent = response.value is GrantedResponse || response.value is DoneResponse
            #expect(BinaryFrame.begins(with: frame[ControlFrame.headerLength]) == isFrequent, "\(response)")
        }
    }

    @Test("a daemon accepts the lower version of the two, and none where none is offered")
    func versions() {
        #expect(BinaryFrame.version(offered: nil) == nil)
        #expect(BinaryFrame.version(offered: 0) == nil)
        #expect(BinaryFrame.version(offered: 1) == 1)
        #expect(BinaryFrame.version(offered: .max) == BinaryFrame.version)
    }

    @Test("a binary message longer than a frame is refused when it is written")
    func long() throws {
        let path = try MountPath(bytes: Array(repeating: UInt8(ascii: "x"), count: ControlFrame.maximumLength))
        let envelope = DaemonEnvelope(id: 1, .response(GrantedResponse(paths: [path], claim: 1)))
        #expect(throws: DaemonFailure.self) { try ControlFrame.frame(envelope, isBinary: true) }
    }
}
