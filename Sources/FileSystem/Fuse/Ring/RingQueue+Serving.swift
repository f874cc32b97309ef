import Basics
import CFuse3
import Glibc

/// The loop of a queue's thread.
extension RingQueue {
    /// The reason for ending the loop.
    enum End: Equatable {
        /// The mount is gone, or the session stops.
        case mount
        /// The kernel refused to register the entries. It then sends all requests by /dev/fuse.
        case refusal(Errno)
        case failure(Errno)
    }

    /// Serves requests until the mount has ended or the session stops.
    func serve(_ connection: FuseConnection, helpers: RingHelpers) -> End {
        let code = cfuse_ring_enable(ring)
        guard code == 0 else { return .refusal(Errno(code, "enable an io_uring")) }
        defer { markEnded() }
        var end: End?
        let reader = FuseReader(connection: connection, queue: self)
        grow()
        watchBell()
        reader.serve { reader, note in
            commitFinished()
            end = wait(connection)
            while end == nil, let completion = next() {
                end = handle(completion, reader, note, helpers)
            }
            return end == nil
        }
        return end ?? .mount
    }

    // MARK: Waiting

    private func next() -> (token: UInt64, result: Int32)? {
        var token: UInt64 = 0
        var result: Int32 = 0
        return cfuse_ring_next(ring, &token, &result) == 0 ? nil : (token, result)
    }

    private var hasCompletion: Bool { cfuse_ring_has_completion(ring) != 0 }

    /// Submits the replies and waits for a request.
    private func wait(_ connection: FuseConnection) -> End? {
        if counts.mayHaveWaiting || counts.growth > 0 || large.count > 8 {
            if let end = enter(connection, minimum: 0) { return end }
            if hasCompletion { return nil }
            trim()
            grow()
            if counts.mayHaveWaiting {
                if hasCommittedSinceRequest {
                    counts.noteNothingWaiting()
                } else if endNewestWait(connection) {
                    return nil
                }
            }
        }
        return enter(connection, minimum: 1)
    }

    private func enter(_ connection: FuseConnection, minimum: UInt32) -> End? {
        hasCommittedSinceRequest = hasCommittedSinceRequest || hasCommit
        hasCommit = false
        let code = cfuse_ring_enter(ring, minimum)
        if connection.lifecycle.isClosing { return .mount }
        // EINTR: a signal to check for the end. EAGAIN, EBUSY: completions have to be taken first.
        return [0, EINTR, EAGAIN, EBUSY].contains(code) ? nil : .failure(Errno(code, "io_uring_enter"))
    }

    /// Gives back the memory of large replies, all of them copied by the kernel. Nothing else uses the memory: the
    /// kernel writes to a free entry only within a system call of this thread.
    private func trim() {
        guard large.count > 8 else { return }
        for entry in large where !entry.isHeld { entry.trim() }
        large.removeAll { !$0.isLarge }
    }

    /// Ends the newest wait for bytes, if all entries are in use by such waits: requests not needing bytes may be
    /// behind them, and the kernel passes on no request without a commit. Programs repeat a read that fails with EINTR,
    /// for which there are new entries; if the queue may not grow, it fails with EAGAIN, and most programs do not
    /// repeat that.
    private func endNewestWait(_ connection: FuseConnection) -> Bool {
        for entry in entries.filter(\.isHeld).sorted(by: { $0.unique > $1.unique }) {
            guard let interrupt = connection.interrupts.remove(entry.unique) else { continue }
            entry.refusal = counts.free == 0 ? EAGAIN : 0
            interrupt()
            entry.refusal = 0
            return true
        }
        return false
    }

    // MARK: Requests

    private func handle(
        _ completion: (token: UInt64, result: Int32), _ reader: FuseReader, _ note: RequestNote, _ helpers: RingHelpers
    ) -> End? {
        guard completion.token != Self.bellToken else {
            watchBell()
            return nil
        }
        guard completion.token < UInt64(entries.count) else { return .failure(Errno(EPROTO, "read a completion")) }
        let entry = entries[Int(completion.token)]
        guard completion.result >= 0 else { return self.end(-completion.result, of: entry) }
        entry.isHeld = true
        entry.wasUsed = true
        counts.receive()
        hasCommittedSinceRequest = false
        guard entry.route == .here else {
            helpers.add(entry)
            return nil
        }
        // A program waits for the reply before this one, so it does not wait for this handler, too.
        if hasCommit, let end = enter(reader.connection, minimum: 0) { return end }
        reader.handle(entry, note)
        return nil
    }

    private func end(_ code: Int32, of entry: RingEntry) -> End? {
        // ENOTCONN, ECONNABORTED: the kernel has ended the connection. ECANCELED: it ends this thread's commands.
        if [ENOTCONN, ECONNABORTED, ECANCELED, ENODEV].contains(code) { return .mount }
        if entry.wasUsed { return .failure(Errno(code, "commit a reply")) }
        counts.refuse()
        return counts.entries == 0 ? .refusal(Errno(code, "register an entry")) : nil
    }
}
