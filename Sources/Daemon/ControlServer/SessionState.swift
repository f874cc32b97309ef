package import DaemonProtocol

/// Decides what is allowed on a connection. Pure: does not know the socket.
package struct SessionState: Sendable {
    package enum Verdict: Equatable {
        /// Send this response immediately.
        case answer(DaemonEnvelope)
        /// Send this response, then end the connection.
        case refuse(DaemonEnvelope)
        /// Pass the request to the handler; ``finished(_:)`` follows.
        case perform(id: UInt64, DaemonRequest)
    }

    private let identity: HelloResponse
    private let maximumRequests: Int
    private let maximumClaims: Int
    private let maximumStreams: Int
    private var inFlight: Set<UInt64> = []
    /// The requests waiting for claims or bytes. They are counted separately, so that they do not take the place of
    /// requests needed for them to continue.
    private var waiting: Set<UInt64> = []
    private var claims: Set<UInt64> = []
    private var streams: Set<UInt64> = []
    /// The client's name in its hello; nil before.
    package private(set) var program: String?
    /// Whether the hello agreed on binary frames.
    package private(set) var hasBinaryFrames = false

    package init(identity: HelloResponse, maximumRequests: Int, maximumClaims: Int, maximumStreams: Int) {
        self.identity = identity
        self.maximumRequests = maximumRequests
        self.maximumClaims = maximumClaims
        self.maximumStreams = maximumStreams
    }

    package mutating func received(_ envelope: ClientEnvelope) -> Verdict {
        let id = envelope.id
        if let hello = envelope.request.call as? HelloRequest { return greet(hello, id: id) }
        guard program != nil else {
            return .refuse(failure(id, .invalidRequest, "the first request must be a hello"))
        }
        guard !inFlight.contains(id), !waiting.contains(id), !streams.contains(id) else {
            return .refuse(failure(id, .invalidRequest, "request number \(id) is still pending"))
        }
        return enter(id, envelope.request)
    }

    private mutating func enter(_ id: UInt64, _ request: DaemonRequest) -> Verdict {
        let admission = request.call.admission
        switch admission {
        case .brief: break
        case .wait, .claim:
            guard waiting.count < maximumClaims else {
                return .answer(
                    failure(
                        id, .busy, "this connection already has \(maximumClaims) waiting requests for claims or bytes"))
            }
            waiting.insert(id)
            if admission == .claim { claims.insert(id) }
        case .lasting:
            guard streams.count < maximumStreams else {
                return .answer(
                    failure(id, .busy, "this connection already has \(maximumStreams) long-running requests"))
            }
            streams.insert(id)
        case .request:
            guard inFlight.count < maximumRequests else {
                return .answer(failure(id, .busy, "this connection already has \(maximumRequests) pending requests"))
            }
            inFlight.insert(id)
        }
        return .perform(id: id, request)
    }

    package mutating func finished(_ id: UInt64) {
        inFlight.remove(id)
        waiting.remove(id)
        claims.remove(id)
        streams.remove(id)
    }

    /// Returns whether the request is running and ends when the client cancels it; a claim is ended by a separate request.
    package func isEndable(_ id: UInt64) -> Bool {
        inFlight.contains(id) || streams.contains(id) || (waiting.contains(id) && !claims.contains(id))
    }

    private mutating func greet(_ hello: HelloRequest, id: UInt64) -> Verdict {
        guard identity.version.understands(hello.version) else {
            return .refuse(
                DaemonEnvelope(
                    id: id,
                    .failure(
                        DaemonFailure(
                            .versionMismatch,
                            "the daemon speaks version \(identity.version) of the control protocol, "
                                + "\(hello.program) speaks \(hello.version)",
                            advice: "Restart the daemon (ubiquity unmount, then ubiquity mount) after an update."))))
        }
        program = hello.program
        var response = identity
        response.binaryFrames = BinaryFrame.version(offered: hello.binaryFrames)
        hasBinaryFrames = response.binaryFrames != nil
        return .answer(DaemonEnvelope(id: id, .response(response)))
    }

    private func failure(_ id: UInt64, _ code: DaemonFailure.Code, _ message: String) -> DaemonEnvelope {
        DaemonEnvelope(id: id, .failure(DaemonFailure(code, message)))
    }
}
