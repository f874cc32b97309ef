/// A request of a client, with the type of its response. A new call is such a type and a line registering its handler;
/// clients need no further code.
package protocol DaemonCall: Codable, Hashable, Sendable {
    /// ``DoneResponse`` for a call without a result, and for a call answered by events.
    associatedtype Response: CallResponse
    /// The key of the request on the wire, `{"evict": {"paths": […]}}`. It never changes.
    static var verb: String { get }
    var admission: CallAdmission { get }
    /// Whether the client wants a response.
    var wantsResponse: Bool { get }
}

extension DaemonCall {
    package var admission: CallAdmission { .request }
    package var wantsResponse: Bool { true }
}

/// The limit of a connection applied to a call.
package enum CallAdmission: Hashable, Sendable {
    /// The limit of requests.
    case request
    /// No limit: the daemon performs the call immediately, regardless of pending requests, so that it can end what
    /// these wait for.
    case brief
    /// The limit of waiting requests, since other requests may have to be performed first.
    case wait
    /// The limit of waiting requests, for claims. A claim is ended by a ``FinishRequest``, any other call by an
    /// ``UnfollowRequest``.
    case claim
    /// The limit of requests answered by events for as long as the client wants them.
    case lasting
}
