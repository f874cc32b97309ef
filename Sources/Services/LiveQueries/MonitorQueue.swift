import DaemonProtocol
import Sync

/// A monitor's unread events. Bounded.
struct MonitorQueue: Sendable {
    static let limit = 1_000

    let bell: Wakeup
    private var waiting: [Happening] = []
    private var first = 0
    private var missed: UInt64 = 0

    init(bell: Wakeup) { self.bell = bell }

    mutating func put(_ happening: Happening) {
        if waiting.count - first >= Self.limit {
            first += 1
            missed += 1
        }
        if first > Self.limit {
            waiting.removeFirst(first)
            first = 0
        }
        waiting.append(happening)
        bell.ring()
    }

    mutating func take() -> Happening? {
        guard first < waiting.count else { return nil }
        if missed > 0 {
            var happening = Happening(.missed, waiting[first].time)
            happening.count = missed
            missed = 0
            return happening
        }
        defer {
            first += 1
            if first == waiting.count { (waiting, first) = ([], 0) }
        }
        return waiting[first]
    }
}
