import DaemonProtocol
import FoundationEssentials
import Testing

@Suite("docs/PROTOCOL.md")
struct ProtocolDocumentTests {
    private static let text: String = {
        var file = URL(filePath: #filePath)
        for _ in 0..<3 { file.deleteLastPathComponent() }
        // If the document is absent, the tests below fail.
        return (try? String(contentsOf: file.appending(path: "docs/PROTOCOL.md"), encoding: .utf8)) ?? ""
    }()

    private func section(_ verb: String) throws -> Substring {
        let start = try #require(Self.text.firstRange(of: "\n### \(verb)\n"), "docs/PROTOCOL.md has no section \(verb)")
        let rest = Self.text[start.upperBound...]
        return rest.firstRange(of: "\n### ").map { rest[..<$0.lowerBound] } ?? rest
    }

    @Test("every kind of request has a section with a valid example", arguments: Samples.requests)
    func requests(_ request: DaemonRequest) throws {
        let verb = request.verb
        let example = try #require(try section(verb).firstMatch(of: /`(\{.*?\})`/), "\(verb) has no example")
        let envelope = Data("{\"id\": 1, \"request\": {\"\(verb)\": \(example.1)}}".utf8)
        let decoded = try ControlFrame.decode(ClientEnvelope.self, from: envelope, calls: Samples.calls)
        #expect(decoded.request.verb == verb)
    }

    @Test("every complete example of a response decodes")
    func responses() throws {
        var count = 0
        for request in Samples.requests {
            for match in try section(request.verb).matches(of: /→ `(\w+)`:?\s+`(\{[^`]*\})`/) {
                guard !match.2.contains("…") else { continue }
                let text = match.2.replacing("\n", with: " ")
                let envelope = Data("{\"id\": 1, \"response\": {\"\(match.1)\": \(text)}}".utf8)
                #expect(throws: Never.self, "\(match.0)") {
                    try ControlFrame.decode(DaemonEnvelope.self, from: envelope, calls: Samples.calls)
                }
                count += 1
            }
        }
        #expect(count >= 5)
    }

    @Test("every example of an event for presenters decodes")
    func letters() throws {
        let examples = try section("letters").matches(of: /- `(\{.*\})`:/)
        #expect(examples.count == 3)
        for example in examples {
            let envelope = Data("{\"id\": 1, \"event\": \(example.1)}".utf8)
            let decoded = try ControlFrame.decode(DaemonEnvelope.self, from: envelope, calls: Samples.calls)
            #expect(decoded.body != .event(.alive), "\(example.0)")
        }
    }

    @Test("the frame shown as an example is the frame of its message")
    func frame() throws {
        let json = try #require(Self.text.firstMatch(of: /00 00 00 (\w\w) (\{.*\})/))
        #expect(Int(json.1, radix: 16) == json.2.utf8.count)
        let envelope = try ControlFrame.decode(ClientEnvelope.self, from: Data(json.2.utf8), calls: Samples.calls)
        #expect(String(decoding: try ControlFrame.payload(envelope), as: UTF8.self) == json.2)
    }

    @Test("the binary frames shown as examples are those of their messages")
    func binaryFrames() throws {
        let path = try MountPath("a/b")
        let claim = ClientEnvelope(
            id: 2, AccessRequest(accesses: [WantedAccess(path: path, mode: .read, options: [.withoutChanges])]))
        let granted = DaemonEnvelope(id: 2, .response(GrantedResponse(paths: [path], claim: 9, isWhole: true)))
        for frame in [
            try ControlFrame.frame(claim, isBinary: true), try ControlFrame.frame(granted, isBinary: true),
        ] {
            let text = frame.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            #expect(Self.text.contains("\n    \(text.joined(separator: " "))\n"), "\(text.joined(separator: " "))")
        }
    }

    @Test("each option of an access has the number that the table of binary frames shows")
    func options() throws {
        for option in AccessOption.allCases {
            let access = WantedAccess(path: .root, mode: .read, options: [option])
            let binary = try #require(ClientEnvelope(id: 1, AccessRequest(accesses: [access])).binary)
            // The kind, the id, the fields, two counts, the mode; then the option.
            #expect(Self.text.contains(" \(binary[6]) `\(option.rawValue)`"), "\(option)")
        }
    }

    @Test("every code of a failure is listed", arguments: DaemonFailure.Code.allCases)
    func codes(_ code: DaemonFailure.Code) { #expect(Self.text.contains("`\(code.rawValue)`")) }

    @Test("the documented version and limits match the code")
    func limits() {
        #expect(Self.text.contains("The version is \(ProtocolVersion.current);"))
        #expect(Self.text.contains("2,097,152 bytes") && ControlFrame.maximumLength == 2_097_152)
        #expect(Self.text.contains("every 2 seconds") && ControlFrame.heartbeat == .seconds(2))
        #expect(Self.text.contains("after 15 it may") && ControlFrame.silenceLimit == .seconds(15))
    }
}
