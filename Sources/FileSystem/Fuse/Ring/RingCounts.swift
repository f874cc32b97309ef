/// The entry counts of a queue: when the queue needs more entries, and when a request may be waiting in the kernel for
/// a commit.
///
/// The kernel gives a request to a free entry. While there is none, requests wait in the kernel, and only a commit
/// fetches them: a free entry registered later gets later requests, and never those. So the queue grows before it runs
/// out, and if it ran out nevertheless, a commit must follow.
struct RingCounts: Sendable, Equatable {
    /// The maximum number of entries in the queue.
    private(set) var limit: Int
    /// The queue grows while it has fewer free entries than this.
    let reserve: Int
    private(set) var entries = 0
    /// The number of entries in the kernel waiting for a request.
    private(set) var free = 0
    /// Whether all entries were in use at some time, without a later commit showing that nothing waits in the kernel.
    private(set) var mayHaveWaiting = false

    /// The limits of each of `queues` queues with `total` entries together, a quarter of them existing from the start.
    init(total: Int, queues: Int) {
        limit = max(4, min(1024, total / max(1, queues)))
        reserve = max(1, limit / 8)
    }

    /// How many entries to register now. To be called when no request is on its way to this process: those in transit
    /// count as free.
    var growth: Int {
        guard free < reserve || entries == 0 else { return 0 }
        return min(entries == 0 ? max(reserve, limit / 4) : reserve, limit - entries)
    }

    mutating func register(_ count: Int) {
        // A few free entries may be in use before the kernel gets the new ones.
        if entries > 0, free < 8 { mayHaveWaiting = true }
        entries += count
        free += count
    }

    /// The kernel refused an entry. The queue continues with its existing entries.
    mutating func refuse() {
        entries -= 1
        free -= 1
        limit = entries
    }

    /// A free entry got a request.
    mutating func receive() {
        free -= 1
        if free == 0 { mayHaveWaiting = true }
    }

    /// A reply was committed.
    mutating func commit() { free += 1 }

    /// A commit did not fetch a request immediately.
    mutating func noteNothingWaiting() { mayHaveWaiting = false }
}
