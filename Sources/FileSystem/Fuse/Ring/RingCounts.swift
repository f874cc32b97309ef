/// The entries of one queue, as counts: when the queue needs more of them, and when a request may be waiting in the kernel for a commit.
///
/// The kernel gives a request to a free entry. While there is none, requests wait in the kernel, and only a commit fetches them: a free
/// entry that is registered later gets later requests, and never those. So the queue grows before it runs out, and where it ran out
/// nevertheless, a commit must follow.
struct RingCounts: Sendable, Equatable {
    /// The most entries that the queue may have.
    private(set) var limit: Int
    /// The queue grows while it has fewer free entries than this.
    let reserve: Int
    private(set) var entries = 0
    /// How many entries wait for a request, in the kernel.
    private(set) var free = 0
    /// Whether all entries were in use at some time, and no commit since has shown that nothing waits in the kernel.
    private(set) var mayHaveWaiting = false

    /// The limits of each of `queues` queues that have `total` entries together, of which a quarter exists from the start.
    init(total: Int, queues: Int) {
        limit = max(4, min(1024, total / max(1, queues)))
        reserve = max(1, limit / 8)
    }

    /// How many entries to register now. To be asked when no request is on its way to this process: those that are count as free.
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

    /// The kernel refused an entry. The queue works on with those that it has.
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

    /// A commit did not fetch a request at once.
    mutating func noteNothingWaiting() { mayHaveWaiting = false }
}
