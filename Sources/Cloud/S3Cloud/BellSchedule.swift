/// Decides when to check the bell, logs and containers. Pure; times are measured from any fixed point.
///
/// Each check is a request that costs money, so a device checks often only while there are changes.
package struct BellSchedule: Hashable, Sendable {
    /// The pause between checks while nothing happens.
    package let rest: Duration
    /// The pause after a change made or seen by this device, for ``activity``.
    package let active: Duration
    package let activity: Duration
    /// How often all logs are checked despite a silent bell: a writer may have died between its entry and the bell.
    package let patrol: Duration
    /// How often the containers are listed without hints of a new container.
    package let listing: Duration
    /// How often the containers are listed at most while the bell reports changes.
    package let listingWhileActive: Duration

    private var changed: Duration?
    private var patrolled: Duration = .zero
    private var listed: Duration = .zero

    package init(
        rest: Duration = .seconds(15), active: Duration = .seconds(1), activity: Duration = .seconds(300),
        patrol: Duration = .seconds(300), listing: Duration = .seconds(3600),
        listingWhileActive: Duration = .seconds(60)
    ) {
        self.rest = rest
        self.active = active
        self.activity = activity
        self.patrol = patrol
        self.listing = listing
        self.listingWhileActive = listingWhileActive
    }

    func pause(at now: Duration) -> Duration {
        guard let changed, now - changed < activity else { return rest }
        return active
    }

    mutating func change(at now: Duration) { changed = now }

    /// Records a check of all logs; returns whether it is due.
    mutating func patrolIsDue(at now: Duration) -> Bool {
        guard now - patrolled >= patrol else { return false }
        patrolled = now
        return true
    }

    /// Records a listing of the containers; returns whether it is due.
    ///
    /// - Parameter isHinted: Whether the bell was rung by an append to an unknown container.
    mutating func listingIsDue(isHinted: Bool, isActive: Bool, at now: Duration) -> Bool {
        guard isHinted || now - listed >= (isActive ? listingWhileActive : listing) else { return false }
        listed = now
        return true
    }

    mutating func looked(at now: Duration) { (patrolled, listed) = (now, now) }
}
