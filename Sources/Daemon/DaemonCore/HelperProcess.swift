import Basics
import DaemonProtocol
import Glibc
import Synchronization

/// A running `ubiquityd databases`, and the calls awaiting its responses.
final class HelperProcess: Sendable {
    private typealias Waiting = CheckedContinuation<DaemonResponse, any Error>

    private struct State {
        var waiting: [UInt64: Waiting] = [:]
        var lastID: UInt64 = 0
        var hasEnded = false
    }

    let id: pid_t
    private let socket: Int32
    private let state = Mutex(State())
    /// Held while a frame is sent, so that frames do not mix.
    private let output = Mutex(())

    /// - Parameters:
    ///   - arguments: Those of the process, without its name.
    ///   - onEnd: Called once, when the process has ended.
    init(_ arguments: [String], onEnd: @escaping @Sendable () -> Void) throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try check("make a socket") {
            socketpair(AF_UNIX, Int32(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        defer { close(ends[1]) }
        do {
            // Files of transactions are read for the user, whatever this daemon's class (docs/PROGRAMS.md).
            id = try OwnProgram.start(
                ["ubiquityd"] + arguments, environment: ["UBIQUITY_DOWNLOADS=full"],
                descriptors: [STDIN_FILENO: ends[1], STDOUT_FILENO: ends[1]],
                purpose: "start the process of databases")
        } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
        do {
            try OwnThread.detach("databases") { [self] in
                read()
                onEnd()
            }
        } catch {
            kill(id, SIGKILL)
            Self.reap(id)
            throw error
        }
    }

    deinit { close(socket) }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: Calls

    /// Notes changed files in the mount. Dropped if the process reads nothing: it looks at all files at its next
    /// signal.
    func noteChange() { _ = send([0, 0, 0, 0]) }

    func call<Call: DaemonCall>(_ call: Call) async throws -> Call.Response {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let frame = try ControlFrame.frame(ClientEnvelope(id: id, call))
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isRefused = state.withLock { state in
                    guard !state.hasEnded, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                guard !isRefused else { return continuation.resume(throwing: Self.gone) }
                if !send(frame) { finish(id, .failure(Self.busy)) }
            }
        } onCancel: {
            finish(id, .failure(CancellationError()))
        }
        guard let value = response.value as? Call.Response else {
            throw DaemonFailure(.failed, "the process of databases sent a response of another kind")
        }
        return value
    }

    private func finish(_ id: UInt64, _ result: Result<DaemonResponse, any Error>) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
    }

    private static let gone = DaemonFailure(
        .failed, "the process that keeps shared databases has ended",
        advice: "It starts again by itself; try again in a moment, and see the daemon's log if this does not pass.")
    private static let busy = DaemonFailure(
        .busy, "the process that keeps shared databases accepts no requests now", advice: "Try again in a moment.")

    /// Sends without waiting.
    ///
    /// - Returns: Whether all of it was sent.
    private func send(_ frame: [UInt8]) -> Bool {
        output.withLock { _ in
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = Glibc.send(socket, frame, frame.count, flags)
            // A partial frame would make the rest unreadable.
            if count > 0, count < frame.count { shutdown(socket, Int32(SHUT_RDWR)) }
            return count == frame.count
        }
    }

    // MARK: Responses

    private func read() {
        var splitter = FrameSplitter()
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        reading: while true {
            let count = recv(socket, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            splitter.append(bytes[..<count])
            do {
                while let payload = try splitter.next() {
                    let envelope = try ControlFrame.decode(DaemonEnvelope.self, from: payload, calls: .databases)
                    switch envelope.body {
                    case .response(let response): finish(envelope.id, .success(response))
                    case .failure(let failure): finish(envelope.id, .failure(failure))
                    case .event: continue
                    }
                }
            } catch { break reading }
        }
        kill(id, SIGKILL)
        Self.reap(id)
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.hasEnded = true
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: Self.gone) }
    }

    private static func reap(_ id: pid_t) {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
    }

    /// Ends the process: it can stop at any step.
    func end() { shutdown(socket, Int32(SHUT_RDWR)) }
}
