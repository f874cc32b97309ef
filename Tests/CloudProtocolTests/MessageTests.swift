import CloudProtocol
import TestSupport
import Testing

@Suite("JSON bodies and lines")
struct MessageTests {
    @Test("every failure has an HTTP error status, and is decoded as it was sent")
    func failures() throws {
        for code in CloudFailure.Code.allCases {
            #expect((400..<600).contains(code.status))
            let failure = CloudFailure(code, "Because of \(code).")
            #expect(try WireJSON.decode(CloudFailure.self, from: WireJSON.encode(failure)) == failure)
        }
    }

    @Test("an unknown code from a newer server counts as failed; unknown fields are ignored")
    func newer() throws {
        let body = Array(#"{"code":"tooLate","message":"m","more":[1]}"#.utf8)
        #expect(try WireJSON.decode(CloudFailure.self, from: body) == CloudFailure(.failed, "m"))
    }

    @Test(
        "bodies that are not the expected JSON are refused",
        arguments: ["", "{", "[]", "{\"sequence\":-1}", "{\"sequence\":\"1\"}"])
    func refused(_ text: String) {
        #expect(throws: CloudFailure.self) { try WireJSON.decode(AppendResponse.self, from: Array(text.utf8)) }
    }

    @Test(
        "the message about a wrong body names the field, and nothing of the decoder",
        arguments: [
            ("{}", "the field 'code' is missing"),
            ("{\"code\":1,\"device\":\"\"}", "the field 'code' is of the wrong type"),
            ("{\"code\":null}", "the field 'code' is null"), ("{", "it is not valid JSON"),
            ("[]", "the whole is of the wrong type"),
        ])
    func plain(_ text: String, _ problem: String) {
        let failure = #expect(throws: CloudFailure.self) {
            try WireJSON.decode(SignInRequest.self, from: Array(text.utf8))
        }
        #expect(failure?.message == "The body is not the expected JSON object: \(problem).")
    }

    @Test("a stream gives the same lines whether it arrives at once or in pieces")
    func lines() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let stream = (0..<generator.number(0..<60)).map { _ in
                generator.chance(20) ? UInt8(ascii: "\n") : UInt8(generator.number(97..<123))
            }
            var whole = LineReader()
            let expected = try whole.append(stream)
            var pieces = LineReader()
            var rest = stream[...]
            var found: [[UInt8]] = []
            while !rest.isEmpty {
                let piece = rest.prefix(generator.number(1..<9))
                rest = rest.dropFirst(piece.count)
                found += try pieces.append(piece)
            }
            #expect(found == expected)
            #expect(
                expected == stream.split(separator: 10, omittingEmptySubsequences: false).dropLast().map(Array.init))
        }
    }

    @Test("a line that exceeds its limit is an error")
    func longLine() throws {
        var reader = LineReader(limit: 10)
        #expect(try reader.append([UInt8](repeating: 97, count: 10)).isEmpty)
        #expect(throws: LineReader.TooLong.self) { try reader.append([97]) }
    }
}
