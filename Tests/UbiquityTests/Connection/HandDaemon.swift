import Basics
import DaemonProtocol
import Foundation
import Synchronization

@testable import Ubiquity

/// The daemon's end of a connection, driven by a test: reads requests, and replies to them when the test says so.
final class HandDaemon: Sendable {
    private let directory: URL
    private let descriptor: Int32
    private let splitter = Mutex(FrameSplitter())

    /// Returns a connection after its handshake, and the daemon at its other end.
    ///
    /// - Parameter binaryFrames: The daemon's accepted version of binary frames; nil for a daemon of an earlier
    ///   release.
    static func connected(
        binaryFrames: UInt32? = nil, onEvent: @escaping @Sendable (DaemonEvent) -> Void = { _ in },
        onEnd: @escaping @Sendable () -> Void = {}
    ) throws -> (HandDaemon, MountConnection) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hand-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.appending(path: "socket").path
        let listener = try check("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
        defer { close(listener) }
        try ControlSocketAddress.with(path: path) { address, length throws(Errno) in
            _ = try check("bind") { bind(listener, address, length) }
        }
        try check("listen") { listen(listener, 1) }
        let daemon = BlockingPromise<Result<HandDaemon, any Error>>()
        Thread.detachNewThread {
            daemon.put(Result { try HandDaemon(directory, listener, binaryFrames) })
        }
        let record = MountRecord(mount: "/mount", pid: getpid(), state: directory.path, socket: path)
        let connection = try MountConnection(record, onEvent: onEvent, onEnd: onEnd)
        return (try daemon.take().get(), connection)
    }

    private static let calls = CallRegistry([
        AccessRequest.self, FinishRequest.self, HelloRequest.self, PresentRequest.self,
    ])

    private init(_ directory: URL, _ listener: Int32, _ binaryFrames: UInt32?) throws {
        self.directory = directory
        descriptor = try check("accept") { accept(listener, nil, nil) }
        let hello = try next()
        let response = HelloResponse(
            pid: getpid(), mount: "/mount", state: directory.path, binaryFrames: binaryFrames)
        try send(DaemonEnvelope(id: hello.id, .response(response)))
    }

    /// Waits for the next request and returns it.
    func next() throws -> ClientEnvelope {
        let payload = try nextPayload()
        if BinaryFrame.begins(with: payload.first) { return try ClientEnvelope(binary: payload) }
        return try ControlFrame.decode(ClientEnvelope.self, from: Data(payload), calls: Self.calls)
    }

    /// Waits for the payload of the next request and returns it.
    func nextPayload() throws -> [UInt8] {
        while true {
            if let payload = try splitter.withLock({ try $0.next() }) { return Array(payload) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = try check("recv") { recv(descriptor, &buffer, buffer.count, 0) }
            guard count > 0 else { throw Errno(ECONNRESET, "recv") }
            splitter.withLock { $0.append(buffer[..<count]) }
        }
    }

    /// Sends the reply expected by the tests' ``MountConnection/ask(_:)``.
    func answer(_ envelope: ClientEnvelope) throws {
        try send(DaemonEnvelope(id: envelope.id, .response(PresentingResponse(presenter: try number(envelope)))))
    }

    /// Returns the number sent by the tests' ``MountConnection/ask(_:)``.
    func number(_ envelope: ClientEnvelope) throws -> UInt64 {
        guard let request = envelope.request.call as? PresentRequest, let number = request.purpose.flatMap(UInt64.init)
        else { throw Errno(EPROTO) }
        return number
    }

    func send(_ envelope: DaemonEnvelope, isBinary: Bool = false) throws {
        try send(bytes: ControlFrame.frame(envelope, isBinary: isBinary))
    }

    func send(bytes frame: [UInt8]) throws {
        guard Glibc.send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL)) == frame.count else { throw Errno(errno) }
    }

    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit {
        close(descriptor)
        // Best effort: the directory is among the temporary files.
        try? FileManager.default.removeItem(at: directory)
    }
}

extension MountConnection {
    /// Sends a request with a single right response, and waits for it on this thread.
    func ask(_ number: UInt64) throws -> UInt64 {
        try call(PresentRequest(path: .root, callbacks: [], purpose: "\(number)")).presenter
    }

    /// Does the same on a separate thread.
    func askAside(_ number: UInt64) -> BlockingPromise<Result<UInt64, any Error>> {
        let answer = BlockingPromise<Result<UInt64, any Error>>()
        Thread.detachNewThread { answer.put(Result { try self.ask(number) }) }
        return answer
    }
}
