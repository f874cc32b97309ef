/// Decides when to look at the bell, and what else to look at. Pure; times are measured from any fixed point.
///
/// Each look is a request that costs money, so a device looks often only while there are changes.
package struct BellSchedule: Hashable, Sendable {
    /// The pause between looks while nothing happens.
    package let rest: Duration
    /// The pause after a change that this device made or saw, for ``activity``.
    package let active: Duration
    package let activity: Duration
    /// How often all logs are looked at although the bell was silent: a writer may have died between its entry and the bell.
    package let patrol: Duration
    /// How often the containers are listed although nothing hints at a new one.
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

    /// Records that all logs are looked at; returns whether it is time for that.
    mutating func patrolIsDue(at now: Duration) -> Bool {
        guard now - patrolled >= patrol else { return false }
        patrolled = now
        return true
    }

    /// Records that the containers are listed; returns whether it is time for that.
    ///
    /// - Parameter isHinted: Whether the bell was rung by an append to no container that is known.
    mutating func listingIsDue(isHinted: Bool, isActive: Bool, at now: Duration) -> Bool {
        guard isHinted || now - listed >= (isActive ? listingWhileActive : listing) else { return false }
        listed = now
        return true
    }

    mutating func looked(at now: Duration) { (patrolled, listed) = (now, now) }
}
