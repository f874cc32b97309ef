import Basics
import Commands
import DaemonProtocol
import Synchronization

/// A client that sends the given bytes, one by one if necessary. It disconnects when it is released.
final class RawClient: Sendable {
    private let stream: Mutex<UnixStream>
    private let splitter = Mutex(FrameSplitter())

    /// Long enough for a busy machine; only a broken server makes a test wait for it.
    private static let patience: Duration = .seconds(30)

    private init(_ stream: consuming sending UnixStream) { self.stream = Mutex(stream) }

    static func connect(_ record: MountRecord) async throws -> RawClient {
        try await blocking { RawClient(try UnixStream.connected(to: record.socket, patience: patience)) }
    }

    func send(bytes: [UInt8]) async throws {
        try await blocking { try self.stream.withLock { try $0.send(bytes) } }
    }

    func send(_ requests: [DaemonRequest], from first: UInt64 = 1) async throws {
        let envelopes = requests.enumerated().map { ClientEnvelope(id: first + UInt64($0.offset), request: $0.element) }
        try await send(bytes: envelopes.flatMap { try ControlFrame.frame($0) })
    }

    /// Returns the next envelope, or nil when the server has ended the connection.
    func next() async throws -> DaemonEnvelope? {
        try await blocking {
            while true {
                if let payload = try self.splitter.withLock({ try $0.next() }) {
                    return try ControlFrame.decode(DaemonEnvelope.self, from: payload, calls: ScriptedHandler.known)
                }
                let bytes = try self.stream.withLock { try $0.receive() }
                if bytes.isEmpty { return nil }
                self.splitter.withLock { $0.append(bytes) }
            }
        }
    }
}
