import DaemonProtocol
import Foundation
import Testing

@Suite("Messages about wrong requests")
struct PlainRefusalTests {
    @Test("the refusal of any wrong request says in plain words what is wrong, and has no text of Swift's decoder")
    func plain() throws {
        var named: Set<String> = []
        for request in Samples.requests {
            let payload = try ControlFrame.payload(ClientEnvelope(id: 1, request: request))
            let whole = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
            let call = try #require(whole["request"] as? [String: Any])
            for (verb, body) in call {
                guard let body = body as? [String: Any] else { continue }
                for field in body.keys {
                    for wrong in Self.wrong(body, field) {
                        let text = try JSONSerialization.data(withJSONObject: ["id": 1, "request": [verb: wrong]])
                        guard let message = refusal(of: text) else { continue }
                        #expect(!Self.foreign.contains { message.contains($0) }, "\(verb): \(message)")
                        if message.contains("\(field)' is missing") { named.insert("\(verb).\(field)") }
                    }
                }
            }
        }
        #expect(named.count > 20, "\(named.sorted())")
        #expect(refusal(of: Data("{".utf8)) == "the request could not be parsed: it is not valid JSON")
        #expect(
            refusal(of: Data(#"{"id":9,"request":{"status":{}}}"#.utf8))
                == "the request could not be parsed: the field 'request.status.paths' is missing")
    }

    /// Words of Swift's descriptions of errors.
    private static let foreign = ["DecodingError", "CodingKey", "Swift.", "debugDescription", "Key '", "Error Domain"]

    /// Returns the body without the field, and with other values in it.
    private static func wrong(_ body: [String: Any], _ field: String) -> [[String: Any]] {
        let values: [Any] = [NSNull(), 7.5, "?", ["?": "?"], ["?"]]
        return values.map { value in body.merging([field: value]) { $1 } } + [body.filter { $0.key != field }]
    }

    /// Returns the message that refuses a request; nil if it is not refused.
    private func refusal(of text: Data) -> String? {
        do {
            _ = try ControlFrame.decode(ClientEnvelope.self, from: text, calls: Samples.calls)
            return nil
        } catch { return ControlFrame.refusal(of: error).message }
    }
}
