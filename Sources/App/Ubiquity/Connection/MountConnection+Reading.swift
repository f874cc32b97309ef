import DaemonProtocol
import Synchronization

/// Who reads: a thread that waits for its answer, so that no second one has to be woken for it; a thread that watches the stream while
/// none does, or only others wait.
extension MountConnection {
    struct Reader {
        var splitter = FrameSplitter()
        /// When something came last.
        var heard = ContinuousClock.now
    }

    /// Runs `body`, which sends something, and lends the calling thread, which waits for what comes of it: it reads until `isDone`. Returns at once
    /// if another thread reads already, or the connection is closed; callers that wait have then been resumed, or will be.
    func ask(_ body: () -> Void, until isDone: () -> Bool) {
        // Before it is sent, for the answer may come at once, and would wake the other thread.
        let isOurs = state.withLock { state in
            guard !state.isLent, !state.isOver else { return false }
            state.isLent = true
            watch.disarm()
            return true
        }
        body()
        guard isOurs else { return }
        // Callbacks for other callers that run here are not inside of this thread's claims.
        let isOpen = Enclosing.$current.withValue([]) { reader.withLock { read(until: isDone, &$0) } }
        state.withLock { state in
            state.isLent = false
            watch.arm()
        }
        if !isOpen { end() }
    }

    /// Whether the conversation goes on.
    private func read(until isDone: () -> Bool, _ reader: inout Reader) -> Bool {
        do {
            while !isDone() {
                guard try take(try stream.receive(), &reader) else { return false }
            }
            return true
        } catch {
            // The connection cannot go on after any error; callers that wait receive it.
            return false
        }
    }

    /// The thread that watches, for as long as the connection lasts.
    func keepWatch() {
        do {
            while try readWhatIsThere() {
                while try !watch.wait(atMost: ControlFrame.silenceLimit) {
                    guard !isSilent else { return end() }
                }
            }
        } catch {
            // As above: callers that wait receive it.
        }
        end()
    }

    /// Whether the conversation goes on.
    private func readWhatIsThere() throws -> Bool {
        let isLent = state.withLock { $0.isLent }
        if !isLent {
            let isOpen = try reader.withLock { reader in
                while let bytes = try stream.receiveNow() {
                    guard try take(bytes, &reader) else { return false }
                }
                return true
            }
            guard isOpen else { return false }
        }
        return state.withLock { state in
            if !state.isLent { watch.arm() }
            return !state.isOver
        }
    }

    private var isSilent: Bool {
        guard !(state.withLock { $0.isLent }) else { return false }
        return reader.withLock { ContinuousClock.now - $0.heard >= ControlFrame.silenceLimit }
    }

    /// False at the end.
    private func take(_ bytes: [UInt8], _ reader: inout Reader) throws -> Bool {
        guard !bytes.isEmpty else { return false }
        reader.heard = .now
        reader.splitter.append(bytes)
        while let payload = try reader.splitter.next() {
            let calls = state.withLock { $0.calls }
            handle(try ControlFrame.decode(DaemonEnvelope.self, from: payload, calls: calls))
        }
        return true
    }
}
