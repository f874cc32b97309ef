import Basics
import Commands
import DaemonProtocol
import FoundationEssentials
import Synchronization

/// A client that sends the given bytes, singly if necessary. It disconnects on release.
final class RawClient: Sendable {
    private let stream: Mutex<UnixStream>
    private let splitter = Mutex(FrameSplitter())

    /// Long enough for a busy machine; a test waits this long only for a broken server.
    private static let patience: Duration = .seconds(30)

    private init(_ stream: consuming sending UnixStream) { self.stream = Mutex(stream) }

    static func connect(_ record: MountRecord) async throws -> RawClient {
        try await blocking { RawClient(try UnixStream.connected(to: record.socket, patience: patience)) }
    }

    func send(bytes: [UInt8]) async throws {
        try await blocking { try self.stream.withLock { try $0.send(bytes) } }
    }

    func send(_ requests: [DaemonRequest], from first: UInt64 = 1, isBinary: Bool = false) async throws {
        let envelopes = requests.enumerated().map { ClientEnvelope(id: first + UInt64($0.offset), request: $0.element) }
        try await send(bytes: envelopes.flatMap { try ControlFrame.frame($0, isBinary: isBinary) })
    }

    /// Returns the next envelope, or nil when the server has ended the connection.
    func next() async throws -> DaemonEnvelope? {
        guard let payload = try await nextPayload() else { return nil }
        if BinaryFrame.begins(with: payload.first) { return try DaemonEnvelope(binary: payload) }
        return try ControlFrame.decode(DaemonEnvelope.self, from: Data(payload), calls: ScriptedHandler.known)
    }

    /// Returns the next payload, or nil when the server has ended the connection.
    func nextPayload() async throws -> [UInt8]? {
        try await blocking {
            while true {
                if let payload = try self.splitter.withLock({ try $0.next() }) { return Array(payload) }
                let bytes = try self.stream.withLock { try $0.receive() }
                if bytes.isEmpty { return nil }
                self.splitter.withLock { $0.append(bytes) }
            }
        }
    }
}
