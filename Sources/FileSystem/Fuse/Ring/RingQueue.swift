import Basics
import CFuse3
import Glibc
import Synchronization

/// The requests of a processor: a ring, its entries, and the thread serving them.
///
/// @unchecked: everything but `shared` belongs to that thread once it runs.
final class RingQueue: @unchecked Sendable {
    private struct Shared {
        /// Entries with replies of other threads, to be committed by the queue's thread.
        var finished: [RingEntry] = []
        /// Replies no longer reach the kernel.
        var hasEnded = false
    }

    /// The kernel's number of the queue: the number of the processor whose requests it gets.
    let number: Int
    private let bell: Int32
    let ring: UnsafeMutablePointer<cfuse_ring>
    private let bellCount: UnsafeMutablePointer<UInt64>
    private let shared = Mutex(Shared())
    var counts: RingCounts
    var entries: [RingEntry] = []
    /// Entries with memory holding large replies.
    var large: [RingEntry] = []
    /// Whether a committed reply has not reached the kernel yet.
    var hasCommit = false
    /// Whether the kernel has received a reply since the last request.
    var hasCommittedSinceRequest = false

    /// The token of the bell; entries have their place in `entries`.
    static let bellToken = UInt64.max

    init(_ number: Int, device: Int32, counts: RingCounts) throws(Errno) {
        let bell = cfuse_make_bell()
        guard bell >= 0 else { throw Errno(errno, "make an eventfd") }
        let ring = UnsafeMutablePointer<cfuse_ring>.allocate(capacity: 1)
        ring.initialize(to: cfuse_ring())
        let code = cfuse_ring_open(ring, 256, device)
        guard code == 0 else {
            close(bell)
            ring.deallocate()
            throw Errno(code, "make an io_uring")
        }
        self.number = number
        self.counts = counts
        self.bell = bell
        self.ring = ring
        bellCount = .allocate(capacity: 1)
        bellCount.initialize(to: 0)
    }

    deinit {
        cfuse_ring_close(ring)
        close(bell)
        ring.deallocate()
        bellCount.deallocate()
    }

    // MARK: Replies

    /// Commits the reply in `entry`: at the next system call of the queue's thread, woken if necessary.
    ///
    /// - Returns: Whether the queue still serves.
    func finish(_ entry: RingEntry) -> Bool {
        if FuseReader.queue === self {
            commit(entry)
            return true
        }
        let (accepted, isFirst) = shared.withLock { shared in
            if shared.hasEnded { return (false, false) }
            shared.finished.append(entry)
            return (true, shared.finished.count == 1)
        }
        if isFirst { ringBell() }
        return accepted
    }

    private func ringBell() {
        var one: UInt64 = 1
        // Fails only if the counter is full, and then the thread wakes anyway.
        _ = write(bell, &one, MemoryLayout<UInt64>.size)
    }

    /// Commits the replies of other threads.
    func commitFinished() {
        let finished = shared.withLock { shared in
            defer { shared.finished = [] }
            return shared.finished
        }
        for entry in finished { commit(entry) }
    }

    /// From now on, replies are refused.
    func markEnded() {
        shared.withLock { shared in
            shared.hasEnded = true
            shared.finished = []
        }
    }

    private func commit(_ entry: RingEntry) {
        if entry.replySize > Self.smallReply, !entry.isLarge {
            entry.isLarge = true
            large.append(entry)
        }
        entry.isHeld = false
        counts.commit()
        hasCommit = true
        prepare { cfuse_ring_commit(ring, UInt16(number), entry.unique, entry.token) }
    }

    private static let smallReply = 16 << 10

    // MARK: Commands

    /// Registers as many entries as the counts ask for.
    func grow() {
        let count = counts.growth
        guard count > 0 else { return }
        // Without memory the queue continues with its existing entries.
        guard let memory = try? RingMemory(count: count) else { return }
        for index in 0..<count {
            let entry = RingEntry(memory, index: index, queue: self, token: UInt64(entries.count))
            entries.append(entry)
            prepare { cfuse_ring_register(ring, UInt16(number), entry.registration, entry.token) }
        }
        counts.register(count)
    }

    /// To be called when no thread serves the queue any longer.
    func closeRing() { cfuse_ring_close(ring) }

    func watchBell() { prepare { cfuse_ring_watch(ring, bell, bellCount, Self.bellToken) } }

    /// Prepares a command, after submitting the earlier ones if there is no room for it.
    private func prepare(_ command: () -> Int32) {
        while command() == 0 {
            // A persistent error ends the session at the next wait.
            guard [0, EINTR, EAGAIN, EBUSY].contains(cfuse_ring_enter(ring, 0)) else { return }
        }
    }
}
