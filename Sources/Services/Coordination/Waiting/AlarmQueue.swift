/// Deadlines, the earliest first. The caller skips obsolete alarms.
struct AlarmQueue: Sendable {
    enum Alarm: Hashable, Sendable {
        case patience(ClaimID)
        case answer(AskID)
        case frozen(ClientID, since: Duration)

        /// Orders simultaneous alarms: waits for other clients end before a request itself times out, because it may
        /// then begin after all.
        fileprivate var rank: Int {
            if case .patience = self { 1 } else { 0 }
        }
    }

    private struct Entry: Sendable {
        let time: Duration
        let number: UInt64
        let alarm: Alarm

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.alarm.rank, left.number) < (right.time, right.alarm.rank, right.number)
        }
    }

    /// A binary heap.
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 0

    var count: Int { entries.count }
    var next: Duration? { entries.first?.time }

    mutating func set(_ alarm: Alarm, at time: Duration) {
        nextNumber += 1
        entries.append(Entry(time: time, number: nextNumber, alarm: alarm))
        siftUp()
    }

    /// Removes and returns the earliest alarm, if its time has come.
    mutating func popDue(at now: Duration) -> Alarm? {
        guard let first = entries.first, first.time <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        siftDown()
        return first.alarm
    }

    /// Removes obsolete deadlines: those of claims ended in time would otherwise accumulate until they are due.
    mutating func compact(keeping isLive: (Alarm) -> Bool) {
        let live = entries.filter { isLive($0.alarm) }.sorted { $0 < $1 }
        // A sorted array is a heap.
        entries = live
    }

    private mutating func siftUp() {
        var index = entries.count - 1
        while index > 0, entries[index] < entries[(index - 1) / 2] {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < entries.count }
            guard let least = children.min(by: { entries[$0] < entries[$1] }), entries[least] < entries[index] else {
                return
            }
            entries.swapAt(index, least)
            index = least
        }
    }
}
