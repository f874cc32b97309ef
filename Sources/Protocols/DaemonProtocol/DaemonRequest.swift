import FoundationEssentials

/// Any call. On the wire an object with a single key, the verb: `{"evict": {"paths": […]}}`.
package struct DaemonRequest: Sendable {
    package let call: any DaemonCall

    package init(_ call: any DaemonCall) { self.call = call }

    package var verb: String { type(of: call).verb }
}

extension DaemonRequest: Hashable {
    package static func == (left: DaemonRequest, right: DaemonRequest) -> Bool {
        AnyHashable(left.call) == AnyHashable(right.call)
    }

    package func hash(into hasher: inout Hasher) { call.hash(into: &hasher) }
}

extension DaemonRequest: Encodable, DecodableWithConfiguration {
    package init(from decoder: any Decoder, configuration calls: CallRegistry) throws {
        let container = try decoder.container(keyedBy: WireKey.self)
        guard let (verb, call) = container.only(calls.call) else {
            throw DaemonFailure(
                .unsupported, "this daemon does not know the request's verb",
                advice: "Use programs of one release: restart the daemon after an update.")
        }
        self.init(try container.decode(call, forKey: verb))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: WireKey.self)
        try container.encode(call, forKey: WireKey(stringValue: verb))
    }
}
