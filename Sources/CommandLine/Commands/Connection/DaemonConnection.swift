import Basics
package import DaemonProtocol
import FoundationEssentials
import Glibc

/// A connection with a daemon. A daemon sending nothing for ``ControlFrame/silenceLimit``, not even a heartbeat, counts
/// as frozen: no call blocks for longer than that.
package struct DaemonConnection: ~Copyable {
    let record: MountRecord
    private let stream: UnixStream
    private var splitter = FrameSplitter()
    /// The calls sent, for decoding their responses.
    private var calls = CallRegistry()
    /// The number of the last request.
    private(set) var lastID: UInt64 = 0

    /// Connects and sends the greeting.
    package static func open(
        _ record: MountRecord, patience: Duration = ControlFrame.silenceLimit
    ) throws(CommandFailure) -> DaemonConnection {
        var connection = DaemonConnection(record, try connect(record, patience))
        _ = try connection.call(HelloRequest(program: "ubiquity"))
        return connection
    }

    private init(_ record: MountRecord, _ stream: consuming UnixStream) {
        self.record = record
        self.stream = stream
    }

    private static func connect(_ record: MountRecord, _ patience: Duration) throws(CommandFailure) -> UnixStream {
        do throws(Errno) {
            return try UnixStream.connected(to: record.socket, patience: patience)
        } catch {
            throw explain(error, record)
        }
    }

    /// Sends a request and waits for the response. With `watch`, states of the mount arrive in the meantime.
    package mutating func call<Call: DaemonCall>(
        _ request: Call, watch: WatchRequest? = nil, onStatus: (StatusResponse) -> Void = { _ in }
    ) throws(CommandFailure) -> Call.Response {
        if let watch { _ = try send(watch) }
        let id = try send(request)
        while true {
            let envelope = try receive()
            switch envelope.body {
            case .event(.status(let status)): onStatus(status)
            case .event: continue
            case .response(let response) where envelope.id == id:
                guard let value = response.value as? Call.Response else { throw unexpectedResponse }
                return value
            // Number 0 is the connection itself: the daemon rejected it.
            case .failure(let failure) where envelope.id == id || envelope.id == 0:
                throw CommandFailure(failure.located(in: record))
            case .response, .failure: continue
            }
        }
    }

    /// Passes every state to `onStatus` until the daemon ends the watch.
    package mutating func watch(
        _ request: WatchRequest, onStatus: (StatusResponse) -> Void
    ) throws(CommandFailure) {
        _ = try call(request, onStatus: onStatus)
    }

    /// Passes every event of a request to `onEvent` until the request ends.
    mutating func follow(
        _ request: some DaemonCall, onEvent: (DaemonEvent) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let id = try send(request)
        while true {
            let envelope = try receive()
            guard envelope.id == id || envelope.id == 0 else { continue }
            switch envelope.body {
            case .event(.alive): continue
            case .event(let event): try onEvent(event)
            case .response: return
            case .failure(let failure): throw CommandFailure(failure.located(in: record))
            }
        }
    }

    /// Waits until the daemon has closed the connection, or sends nothing more. Returns false if it still sends data after `limit`.
    mutating func waitForEnd(_ limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            // Any error counts as the end of the connection.
            if (try? receive()) == nil { return true }
        }
        return false
    }

    private mutating func send<Call: DaemonCall>(_ request: Call) throws(CommandFailure) -> UInt64 {
        lastID += 1
        calls.add(Call.self)
        do {
            try stream.send(ControlFrame.frame(ClientEnvelope(id: lastID, request)))
        } catch {
            throw Self.explain(error, record)
        }
        return lastID
    }

    private mutating func receive() throws(CommandFailure) -> DaemonEnvelope {
        do {
            while true {
                if let payload = try splitter.next() {
                    return try ControlFrame.decode(DaemonEnvelope.self, from: payload, calls: calls)
                }
                let bytes = try stream.receive()
                guard !bytes.isEmpty else { throw Errno(ECONNRESET, "recv") }
                splitter.append(bytes)
            }
        } catch {
            throw Self.explain(error, record)
        }
    }

    private static func explain(_ error: any Error, _ record: MountRecord) -> CommandFailure {
        if let failure = error as? DaemonFailure { return CommandFailure(failure) }
        switch (error as? Errno)?.code {
        case ETIMEDOUT:
            return CommandFailure(
                .notAnswering, "the daemon (pid \(record.pid)) does not answer", path: record.mount,
                advice: "See \(record.state)/daemon.log; \"ubiquity unmount\" ends it, nothing is lost.")
        case ECONNREFUSED, ENOENT:
            return CommandFailure(
                .notMounted, "the daemon of this mount is gone", path: record.mount,
                advice: "Start it again: ubiquity mount \(record.mount) --state \(record.state).")
        case ECONNRESET, EPIPE:
            return CommandFailure(
                .notAnswering, "the daemon (pid \(record.pid)) ended before it answered", path: record.mount,
                advice: "See \(record.state)/daemon.log.")
        default:
            return CommandFailure(.failed, "cannot send a request to the daemon (\(error))", path: record.mount)
        }
    }

    private var unexpectedResponse: CommandFailure {
        CommandFailure(
            .failed, "the daemon sent a response of another kind than requested", path: record.mount,
            advice: "Restart it: it may be of another release.")
    }
}
