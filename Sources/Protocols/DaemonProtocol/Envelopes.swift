import FoundationEssentials

/// A message of a client: a request with a number chosen by the client, new for each request of the connection.
package struct ClientEnvelope: Hashable, Sendable {
    package let id: UInt64
    package let request: DaemonRequest

    package init(id: UInt64, request: DaemonRequest) {
        self.id = id
        self.request = request
    }

    package init(id: UInt64, _ call: any DaemonCall) { self.init(id: id, request: DaemonRequest(call)) }
}

extension ClientEnvelope: Encodable, DecodableWithConfiguration {
    private enum CodingKeys: String, CodingKey { case id, request }

    package init(from decoder: any Decoder, configuration calls: CallRegistry) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UInt64.self, forKey: .id)
        request = try container.decode(DaemonRequest.self, forKey: .request, configuration: calls)
    }
}

/// A message of the daemon: a response to the request with that number, or an event (number 0: to the connection
/// itself).
package struct DaemonEnvelope: Hashable, Sendable {
    package enum Body: Hashable, Sendable {
        /// The last message about a request.
        case response(DaemonResponse)
        /// The last message about a request.
        case failure(DaemonFailure)
        case event(DaemonEvent)
    }

    package let id: UInt64
    package let body: Body

    package init(id: UInt64, _ body: Body) {
        self.id = id
        self.body = body
    }
}

extension DaemonEnvelope.Body {
    package static func response(_ response: some CallResponse) -> Self { .response(DaemonResponse(response)) }
}

extension DaemonEnvelope: Encodable, DecodableWithConfiguration {
    private enum CodingKeys: String, CodingKey { case id, response, failure, event }

    package init(from decoder: any Decoder, configuration calls: CallRegistry) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UInt64.self, forKey: .id)
        let response = try container.decodeIfPresent(DaemonResponse.self, forKey: .response, configuration: calls)
        if let response {
            body = .response(response)
        } else if let failure = try container.decodeIfPresent(DaemonFailure.self, forKey: .failure) {
            body = .failure(failure)
        } else {
            body = .event(try container.decode(DaemonEvent.self, forKey: .event))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        switch body {
        case .response(let response): try container.encode(response, forKey: .response)
        case .failure(let failure): try container.encode(failure, forKey: .failure)
        case .event(let event): try container.encode(event, forKey: .event)
        }
    }
}

/// An event sent by the daemon without a request, or for as long as a watch lasts.
package enum DaemonEvent: Hashable, Sendable {
    /// The newest state; intermediate states may be left out.
    case status(StatusResponse)
    /// Messages for a presenter of this connection: a question to answer, the end of the access it made way for, a
    /// notification.
    case question(PresenterQuestion)
    case reacquire(PresenterReacquire)
    case event(PresenterEvent)
    /// Items of a query.
    case found(FoundItems)
    case happened(Happening)
    case keyValues(KeyValueEvent)
    /// A heartbeat, sent every ``ControlFrame/heartbeat`` while a client is connected, however long a response takes.
    case alive
}

extension DaemonEvent: Codable {
    private enum Kind: String, CodingKey {
        case status, question, found, happened, keyValues, alive
        case reacquire = "comeBack"
        case event = "news"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        if let status = try container.decodeIfPresent(StatusResponse.self, forKey: .status) {
            self = .status(status)
        } else if let question = try container.decodeIfPresent(PresenterQuestion.self, forKey: .question) {
            self = .question(question)
        } else if let over = try container.decodeIfPresent(PresenterReacquire.self, forKey: .reacquire) {
            self = .reacquire(over)
        } else if let event = try container.decodeIfPresent(PresenterEvent.self, forKey: .event) {
            self = .event(event)
        } else if let found = try container.decodeIfPresent(FoundItems.self, forKey: .found) {
            self = .found(found)
        } else if let happened = try container.decodeIfPresent(Happening.self, forKey: .happened) {
            self = .happened(happened)
        } else if let event = try container.decodeIfPresent(KeyValueEvent.self, forKey: .keyValues) {
            self = .keyValues(event)
        } else {
            // An unknown kind of event, from a newer version, proves at least that the daemon is alive.
            self = .alive
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch self {
        case .status(let status): try container.encode(status, forKey: .status)
        case .question(let question): try container.encode(question, forKey: .question)
        case .reacquire(let over): try container.encode(over, forKey: .reacquire)
        case .event(let event): try container.encode(event, forKey: .event)
        case .found(let found): try container.encode(found, forKey: .found)
        case .happened(let happened): try container.encode(happened, forKey: .happened)
        case .keyValues(let event): try container.encode(event, forKey: .keyValues)
        case .alive: try container.encode(DoneResponse(), forKey: .alive)
        }
    }
}
