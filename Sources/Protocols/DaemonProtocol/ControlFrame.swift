import Basics
package import FoundationEssentials

/// The framing of messages on the control socket: a length (4 bytes, big-endian, of the rest), then a JSON object, or a
/// message in its binary form (``BinaryFrame``).
package enum ControlFrame {
    /// The maximum length of a frame; a longer frame ends the connection. The largest value of a key-value store fits in base64.
    package static let maximumLength = 2 << 20
    package static let headerLength = 4
    /// The interval of ``DaemonEvent/alive`` from the daemon to a connected client.
    package static let heartbeat: Duration = .seconds(2)
    /// The time after which a client considers a silent daemon frozen. It spans several heartbeats, so that a busy
    /// daemon is not mistaken for a frozen one.
    package static let silenceLimit: Duration = .seconds(15)

    /// Returns the payload of a frame. Keys are sorted, so equal messages have equal bytes.
    package static func payload(_ message: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(message)
        try checkLength(data.count)
        return data
    }

    private static func checkLength(_ count: Int) throws(DaemonFailure) {
        guard count > maximumLength else { return }
        throw DaemonFailure(
            .invalidRequest, "the message has \(count) bytes, more than the \(maximumLength) allowed",
            advice: "Name fewer paths at a time.")
    }

    /// Returns a complete frame: header and payload.
    package static func frame(_ message: some Encodable) throws -> [UInt8] { frame(around: try payload(message)) }

    /// Returns a complete frame.
    ///
    /// - Parameter isBinary: Whether both sides have agreed on binary frames. Messages without a binary form are JSON nevertheless.
    package static func frame(_ envelope: ClientEnvelope, isBinary: Bool) throws -> [UInt8] {
        try isBinary ? frame(envelope, envelope.binary) : frame(envelope)
    }

    /// Returns a complete frame.
    ///
    /// - Parameter isBinary: Whether both sides have agreed on binary frames. Messages without a binary form are JSON nevertheless.
    package static func frame(_ envelope: DaemonEnvelope, isBinary: Bool) throws -> [UInt8] {
        try isBinary ? frame(envelope, envelope.binary) : frame(envelope)
    }

    private static func frame(_ envelope: some Encodable, _ binary: [UInt8]?) throws -> [UInt8] {
        guard let binary else { return try frame(envelope) }
        try checkLength(binary.count)
        return frame(around: binary)
    }

    private static func frame(around payload: some Collection<UInt8>) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(headerLength + payload.count)
        withUnsafeBytes(of: UInt32(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        frame.append(contentsOf: payload)
        return frame
    }

    package static func decode<Message: Decodable>(_ type: Message.Type, from payload: Data) throws -> Message {
        try JSONDecoder().decode(type, from: payload)
    }

    package static func decode<Message: DecodableWithConfiguration>(
        _ type: Message.Type, from payload: Data, calls: CallRegistry
    ) throws -> Message where Message.DecodingConfiguration == CallRegistry {
        try JSONDecoder().decode(type, from: payload, configuration: calls)
    }

    /// Returns the failure to send for a request that could not be decoded.
    package static func refusal(of error: any Error) -> DaemonFailure {
        let problem = (error as? DecodingError)?.plainMessage ?? "\(error)"
        return error as? DaemonFailure ?? DaemonFailure(.invalidRequest, "the request could not be parsed: \(problem)")
    }

    /// Returns the number of an otherwise undecodable request, so that the failure can be sent for that request.
    package static func requestID(of payload: Data) -> UInt64 {
        struct Numbered: Decodable { let id: UInt64 }
        // 0 stands for the connection itself.
        return (try? JSONDecoder().decode(Numbered.self, from: payload).id) ?? 0
    }
}

/// Splits a stream of bytes into frames. Buffers at most a frame beyond the last appended bytes.
package struct FrameSplitter: Sendable {
    private var pending: [UInt8] = []

    package init() {}

    package mutating func append(_ bytes: some Sequence<UInt8>) { pending.append(contentsOf: bytes) }

    /// Returns the payload of the next complete frame; nil if more bytes are needed. Throws if a length exceeds the limit.
    package mutating func next() throws(DaemonFailure) -> Data? {
        guard pending.count >= ControlFrame.headerLength else { return nil }
        let length = pending.prefix(ControlFrame.headerLength).reduce(0) { $0 << 8 | Int($1) }
        guard length <= ControlFrame.maximumLength else {
            throw DaemonFailure(.invalidRequest, "a frame of \(length) bytes was announced, more than allowed")
        }
        let end = ControlFrame.headerLength + length
        guard pending.count >= end else { return nil }
        defer { pending.removeFirst(end) }
        return Data(pending[ControlFrame.headerLength..<end])
    }
}
