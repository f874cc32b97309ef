/// A request of a client, with the type of the response to it. A new call is one such type, and one line that registers what the daemon
/// does for it; clients then send it as it is.
package protocol DaemonCall: Codable, Hashable, Sendable {
    /// ``DoneResponse`` for a call without a result, and for one to which the daemon sends events.
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

/// A response of the daemon to the calls that name it.
package protocol CallResponse: Codable, Hashable, Sendable {
    /// The key of the response on the wire, `{"items": {"outcomes": […]}}`. It never changes.
    static var kind: String { get }
}

/// Which limit of a connection a call counts against.
package enum CallAdmission: Hashable, Sendable {
    /// The limit of requests.
    case request
    /// None: the daemon performs it at once, whatever else is in progress, so that it can end what other requests wait for.
    case brief
    /// The limit of requests that wait, as other requests may have to be performed first.
    case wait
    /// The same. A claim is ended by a ``FinishRequest``, all else by an ``UnfollowRequest``.
    case claim
    /// The limit of requests to which the daemon sends events for as long as the client wants them.
    case lasting
}
