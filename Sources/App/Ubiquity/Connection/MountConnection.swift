import Basics
import DaemonProtocol
import Foundation
import Glibc
import Synchronization

/// This process's connection with a mount's daemon. Many threads send requests over it; one of them reads, or else a
/// dedicated thread. A daemon silent for ``ControlFrame/silenceLimit`` counts as gone, so nothing waits longer for a
/// frozen daemon.
final class MountConnection: Sendable {
    /// Receives the request's number and outcome. Called on the reading thread, which must not be blocked.
    typealias Completion<Response> = @Sendable (UInt64, Result<Response, DaemonFailure>) -> Void

    struct State {
        var lastID: UInt64 = 0
        var waiting: [UInt64: Completion<DaemonResponse>] = [:]
        /// Event recipients, by the number of the subscribing request.
        var followers: [UInt64: @Sendable (DaemonEvent) -> Void] = [:]
        /// The sent calls, for decoding their responses.
        var calls = CallRegistry()
        var isOver = false
        /// Whether the daemon accepts binary frames.
        var hasBinaryFrames = false
        /// Whether a thread waiting for its response reads.
        var isLent = false
    }

    let stream: UnixStream
    let watch: StreamWatch
    /// Held by the reading thread.
    let reader = Mutex(Reader())
    private let sending = Mutex(())
    let state = Mutex(State())
    private let onEvent: @Sendable (DaemonEvent) -> Void
    private let onEnd: @Sendable () -> Void

    /// Connects and sends the greeting.
    init(
        _ record: MountRecord, onEvent: @escaping @Sendable (DaemonEvent) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) throws(DaemonFailure) {
        do throws(Errno) {
            stream = try UnixStream.connected(to: record.socket, patience: ControlFrame.silenceLimit)
            watch = try .on(stream)
        } catch {
            throw DaemonFailure(.failed, "the mount's daemon cannot be reached (\(error))", path: record.mount)
        }
        self.onEvent = onEvent
        self.onEnd = onEnd
        let thread = Thread { [self] in keepWatch() }
        thread.name = "ubiquity-client"
        thread.start()
        do throws(DaemonFailure) {
            try greet()
        } catch {
            end(error)
            throw error
        }
    }

    /// Sends the hello. An earlier release's daemon ignores the offer of binary frames.
    private func greet() throws(DaemonFailure) {
        let daemon = try call(
            HelloRequest(program: ProcessInfo.processInfo.processName, binaryFrames: BinaryFrame.version))
        state.withLock { $0.hasBinaryFrames = daemon.binaryFrames == BinaryFrame.version }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Sends a request.
    ///
    /// - Returns: The request's number.
    @discardableResult
    func send<Call: DaemonCall>(
        _ request: Call, follower: (@Sendable (DaemonEvent) -> Void)? = nil,
        _ completion: @escaping Completion<Call.Response>
    ) -> UInt64 {
        let (id, isOver) = state.withLock { state in
            state.enter(Call.self)
            if !state.isOver {
                state.waiting[state.lastID] = { completion($0, $1.flatMap(Self.typed)) }
                state.followers[state.lastID] = follower
            }
            return (state.lastID, state.isOver)
        }
        if isOver {
            completion(id, .failure(Self.gone))
            return id
        }
        do { try write(request, id) } catch let failure as DaemonFailure {
            take(id)?(id, .failure(failure))
        } catch { end() }
        return id
    }

    /// Sends a request and ignores any response. An older daemon may send one.
    func post<Call: DaemonCall>(_ request: Call) {
        let id = state.withLock { state in
            state.enter(Call.self)
            return state.lastID
        }
        // A dead daemon needs no message.
        do { try write(request, id) } catch { end() }
    }

    private static func typed<Response: CallResponse>(
        _ response: DaemonResponse
    ) -> Result<Response, DaemonFailure> {
        guard let value = response.value as? Response else {
            return .failure(DaemonFailure(.failed, "the daemon sent a response of another kind than requested"))
        }
        return .success(value)
    }

    private func write(_ request: some DaemonCall, _ id: UInt64) throws {
        let isBinary = state.withLock { $0.hasBinaryFrames }
        let frame = try ControlFrame.frame(ClientEnvelope(id: id, request), isBinary: isBinary)
        try sending.withLock { _ in try stream.send(frame) }
    }

    /// Subscribes to events until the request ends, or ``unfollow(_:)`` is called. `onEvent` and `onEnd` are called on
    /// the reading thread, which must not be blocked.
    func follow(
        _ request: some DaemonCall, onEvent: @escaping @Sendable (DaemonEvent) -> Void,
        onEnd: @escaping @Sendable (DaemonFailure?) -> Void
    ) -> UInt64 {
        // The follower is registered before the request is sent: the first event may arrive before this method returns.
        send(request, follower: onEvent) { _, answer in
            switch answer {
            case .success: onEnd(nil)
            case .failure(let failure): onEnd(failure)
            }
        }
    }

    func unfollow(_ id: UInt64) { send(UnfollowRequest(request: id)) { _, _ in } }

    /// Sends a request and waits for its response.
    func call<Call: DaemonCall>(_ request: Call) throws(DaemonFailure) -> Call.Response {
        let answer = BlockingPromise<Result<Call.Response, DaemonFailure>>()
        ask {
            send(request) { _, result in answer.put(result) }
        } until: {
            answer.isFull
        }
        return try answer.take().get()
    }

    private static let gone = DaemonFailure(.failed, "the mount's daemon has ended")

    private func take(_ id: UInt64) -> Completion<DaemonResponse>? {
        state.withLock { state in
            state.followers[id] = nil
            return state.waiting.removeValue(forKey: id)
        }
    }

    // MARK: Messages from the daemon

    func handle(_ envelope: DaemonEnvelope) {
        switch envelope.body {
        case .event(let event):
            if let follower = state.withLock({ $0.followers[envelope.id] }) { follower(event) } else { onEvent(event) }
        case .response(let response): take(envelope.id)?(envelope.id, .success(response))
        case .failure(let failure) where envelope.id != 0: take(envelope.id)?(envelope.id, .failure(failure))
        // The failure is about the connection itself: the daemon rejected it.
        case .failure(let failure): end(failure)
        }
    }

    func end(_ failure: DaemonFailure = MountConnection.gone) {
        let waiting = state.withLock { state -> [UInt64: Completion<DaemonResponse>]? in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer { (state.waiting, state.followers) = ([:], [:]) }
            return state.waiting
        }
        guard let waiting else { return }
        stream.shutDown()
        for (id, completion) in waiting { completion(id, .failure(failure)) }
        onEnd()
    }
}

extension MountConnection.State {
    /// Assigns the next number to a request.
    fileprivate mutating func enter<Call: DaemonCall>(_ call: Call.Type) {
        lastID += 1
        if !calls.knows(Call.verb) { calls.add(call) }
    }
}
