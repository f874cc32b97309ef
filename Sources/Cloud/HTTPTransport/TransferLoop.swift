import Basics
import CCurl
import Cryptography
import Glibc
import Synchronization

/// The thread running the transfers of a connection pool: libcurl's multi interface belongs to a single thread
/// (libcurl-multi(3)).
///
/// It starts with the first request and ends with this object. While nothing is transferred, it sleeps.
final class TransferLoop: Sendable {
    enum Command: Sendable {
        case start(Transfer)
        /// The reader has taken bytes of a paused transfer.
        case resume(Transfer)
        case end(Transfer)
    }

    private let connections = Connections()

    deinit { connections.end() }

    func send(_ command: Command) { connections.send(command) }
}

/// @unchecked: `multi` belongs to the thread, except for the wake-up call, allowed from any thread; the rest is guarded
/// or the thread's own.
private final class Connections: @unchecked Sendable {
    private struct State {
        var commands: [TransferLoop.Command] = []
        var hasThread = false
        var isEnded = false
    }

    /// For concurrent transfers (`TransferSlots`), the log, and the change feed.
    private static let connectionsPerHost = 16

    private static let isReady: Bool = {
        // First, so that libcurl's use of OpenSSL begins with our settings.
        OpenSSL.prepare()
        return ccurl_global_init() == CURLE_OK
    }()

    private let state = Mutex(State())
    private let multi: UnsafeMutableRawPointer?
    private var active: [UnsafeMutableRawPointer: Transfer] = [:]

    init() {
        multi = Self.isReady ? curl_multi_init() : nil
        guard let multi else { return }
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, Self.connectionsPerHost)
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.connectionsPerHost)
    }

    deinit { if let multi { curl_multi_cleanup(multi) } }

    func send(_ command: TransferLoop.Command) {
        let starts = state.withLock { state in
            state.commands.append(command)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if starts { startThread() } else if let multi { curl_multi_wakeup(multi) }
    }

    func end() {
        state.withLock { $0.isEnded = true }
        if let multi { curl_multi_wakeup(multi) }
    }

    private func startThread() {
        do throws(Errno) {
            guard multi != nil else { throw Errno(ENOMEM, "libcurl") }
            try OwnThread.detach("http") { self.run() }
        } catch {
            let commands = state.withLock { state in
                state.hasThread = false
                defer { state.commands = [] }
                return state.commands
            }
            for case .start(let transfer) in commands {
                transfer.end(with: HTTPFailure(reason: .closed, system: error.code, text: "\(error)"))
            }
        }
    }

    // MARK: The thread

    private func run() {
        guard let multi else { return }
        while true {
            let (commands, isEnded) = state.withLock { state in
                defer { state.commands = [] }
                return (state.commands, state.isEnded)
            }
            for command in commands { perform(command, multi) }
            // The pool has no references, so nothing waits for a transfer.
            if isEnded { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            endFinished(multi)
            let pause = endLate(multi)
            curl_multi_poll(multi, nil, 0, pause, nil)
        }
        for (easy, transfer) in active {
            transfer.end(with: HTTPFailure(reason: .closed, text: "the connections were closed"))
            remove(easy, multi)
        }
    }

    private func perform(_ command: TransferLoop.Command, _ multi: UnsafeMutableRawPointer) {
        switch command {
        case .start(let transfer):
            guard transfer.isWanted else { return }
            guard let easy = transfer.makeHandle() else {
                transfer.end(with: HTTPFailure(reason: .closed, system: ENOMEM, text: "\(Errno(ENOMEM))"))
                return
            }
            active[easy] = transfer
            curl_multi_add_handle(multi, easy)
        case .resume(let transfer):
            guard let easy = transfer.handle, active[easy] === transfer else { return }
            transfer.noteResumed()
            curl_easy_pause(easy, CURLPAUSE_CONT)
        case .end(let transfer):
            if let easy = transfer.handle, active[easy] === transfer { remove(easy, multi) }
        }
    }

    private func remove(_ easy: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer) {
        curl_multi_remove_handle(multi, easy)
        active.removeValue(forKey: easy)?.freeHandle()
    }

    private func endFinished(_ multi: UnsafeMutableRawPointer) {
        var result = CURLE_OK
        while let easy = ccurl_multi_next_ended(multi, &result) {
            guard let transfer = active[easy] else { continue }
            transfer.end(with: transfer.failure(result))
            remove(easy, multi)
        }
    }

    /// Ends the overdue transfers.
    ///
    /// - Returns: The milliseconds until the next deadline.
    private func endLate(_ multi: UnsafeMutableRawPointer) -> Int32 {
        let now = SuspendingClock.now
        var next = Duration.seconds(3_600)
        for (easy, transfer) in active {
            guard let left = transfer.timeLeft(at: now) else { continue }
            if left <= .zero {
                transfer.end(with: transfer.lateness)
                remove(easy, multi)
            } else {
                next = min(next, left)
            }
        }
        return Int32(next / .milliseconds(1)) + 1
    }
}
