import Basics
import DaemonProtocol
import Synchronization

/// Decides which thread reads: a thread waiting for its response, so that no second thread has to be woken for it; or
/// the connection's own thread, which watches the stream while no waiting thread reads.
extension MountConnection {
    struct Reader {
        var splitter = FrameSplitter()
        /// When data last arrived.
        var heard = ContinuousClock.now
    }

    /// Runs `body` to send a request, and lends the calling thread: it reads until `isDone`. Returns immediately if
    /// another thread reads already, or if the connection is closed; waiting callers have then been resumed,
    /// or will be.
    func ask(_ body: () -> Void, until isDone: () -> Bool) {
        // Set before sending, because an immediate response would wake the other thread.
        let isOurs = state.withLock { state in
            guard !state.isLent, !state.isOver else { return false }
            state.isLent = true
            watch.disarm()
            return true
        }
        body()
        guard isOurs else { return }
        // Callbacks for other callers on this thread are not inside its claims.
        let isOpen = Enclosing.$current.withValue([]) { reader.withLock { read(until: isDone, &$0) } }
        state.withLock { state in
            state.isLent = false
            watch.arm()
        }
        if !isOpen { end() }
    }

    /// Reads until `isDone`. Returns whether the connection is still open.
    private func read(until isDone: () -> Bool, _ reader: inout Reader) -> Bool {
        do {
            while !isDone() {
                guard try take(try stream.receive(), &reader) else { return false }
            }
            return true
        } catch {
            // The connection cannot continue after any error; waiting callers receive it.
            return false
        }
    }

    /// The watching thread's body, which runs as long as the connection lasts.
    func keepWatch() {
        do {
            while try readWhatIsThere() {
                while try !watch.wait(atMost: ControlFrame.silenceLimit) {
                    guard !isSilent else { return end() }
                }
            }
        } catch {
            // As above: waiting callers receive the error.
        }
        end()
    }

    /// Reads the available data, and returns whether the connection is still open.
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

    /// Handles received bytes; returns false at the end of the stream.
    private func take(_ bytes: [UInt8], _ reader: inout Reader) throws -> Bool {
        guard !bytes.isEmpty else { return false }
        reader.heard = .now
        reader.splitter.append(bytes)
        while let payload = try reader.splitter.next() {
            guard BinaryFrame.begins(with: payload.first) else {
                let calls = state.withLock { $0.calls }
                handle(try ControlFrame.decode(DaemonEnvelope.self, from: payload, calls: calls))
                continue
            }
            guard takeBinary(Array(payload)) else { return false }
        }
        return true
    }

    /// Handles a binary frame. Ends the connection and returns false if the frame is malformed, or if the hello did not agree on such frames.
    private func takeBinary(_ payload: [UInt8]) -> Bool {
        guard state.withLock({ $0.hasBinaryFrames }) else {
            end(DaemonFailure(.failed, "the daemon sent a binary frame, on which the hello did not agree"))
            return false
        }
        do throws(ByteCodingError) { handle(try DaemonEnvelope(binary: payload)) } catch {
            end(BinaryFrame.malformed(error))
            return false
        }
        return true
    }
}
