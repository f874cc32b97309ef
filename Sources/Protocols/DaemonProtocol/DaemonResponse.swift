import FoundationEssentials

/// Any response of the daemon. On the wire an object with a single key, the kind: `{"items": {"outcomes": […]}}`.
package struct DaemonResponse: Sendable {
    package let value: any CallResponse

    package init(_ value: any CallResponse) { self.value = value }
}

extension DaemonResponse: Hashable {
    package static func == (left: DaemonResponse, right: DaemonResponse) -> Bool {
        AnyHashable(left.value) == AnyHashable(right.value)
    }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension DaemonResponse: Encodable, DecodableWithConfiguration {
    package init(from decoder: any Decoder, configuration calls: CallRegistry) throws {
        let container = try decoder.container(keyedBy: WireKey.self)
        guard let (kind, response) = container.only(calls.response) else {
            throw DaemonFailure(
                .unsupported, "this program does not know the kind of the daemon's response",
                advice: "Use programs of one release: restart the daemon after an update.")
        }
        self.init(try container.decode(response, forKey: kind))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: WireKey.self)
        try container.encode(value, forKey: WireKey(stringValue: type(of: value).kind))
    }
}
