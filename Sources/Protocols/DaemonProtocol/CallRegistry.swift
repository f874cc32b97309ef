/// The calls known to a side of a connection: a daemon decodes the requests, a client the responses.
package struct CallRegistry: Sendable {
    private var calls: [String: any DaemonCall.Type] = [:]
    private var responses: [String: any CallResponse.Type] = [:]

    package init(_ calls: [any DaemonCall.Type] = []) {
        for call in calls { add(call) }
    }

    package mutating func add<Call: DaemonCall>(_ call: Call.Type) {
        calls[Call.verb] = call
        responses[Call.Response.kind] = Call.Response.self
    }

    package var verbs: Set<String> { Set(calls.keys) }

    package func knows(_ verb: String) -> Bool { calls[verb] != nil }

    func call(_ verb: String) -> (any DaemonCall.Type)? { calls[verb] }

    func response(_ kind: String) -> (any CallResponse.Type)? { responses[kind] }
}

/// A verb or a kind, as a key of the wire format.
struct WireKey: CodingKey {
    let stringValue: String

    init(stringValue: String) { self.stringValue = stringValue }

    var intValue: Int? { nil }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<WireKey> {
    /// Returns the only key recognised by `find`, with the value found. Keys of later versions are ignored.
    ///
    /// - Returns: Nil if there is none, or several.
    func only<Found>(_ find: (String) -> Found?) -> (key: WireKey, found: Found)? {
        let known = allKeys.compactMap { key in find(key.stringValue).map { (key, $0) } }
        return known.count == 1 ? known[0] : nil
    }
}
