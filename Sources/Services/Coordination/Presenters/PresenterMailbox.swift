/// The messages that wait for a presenter that is busy.
///
/// A question overtakes notices: a claim waits for the answer, and a slow callback must not hold that up. Questions keep their order, and
/// so do notices. Bounded: if a presenter reads nothing, its notices become one notice that something changed.
package struct PresenterMailbox: Sendable {
    private var urgent: [PresenterDelivery] = []
    private var notices: [PresenterNotice] = []
    private let limit: Int

    /// - Parameter limit: How many notices may wait. A thousand is more than any program handles one by one.
    package init(limit: Int = 1_000) { self.limit = limit }

    package var isEmpty: Bool { urgent.isEmpty && notices.isEmpty }
    package var count: Int { urgent.count + notices.count }

    package mutating func put(_ message: PresenterDelivery) {
        guard case .notice(let notice) = message else { return urgent.append(message) }
        if notice.isRepeatable, notices.contains(notice) { return }
        notices.append(notice)
        if notices.count > limit { condense() }
    }

    package mutating func take() -> PresenterDelivery? {
        if !urgent.isEmpty { return urgent.removeFirst() }
        return notices.isEmpty ? nil : .notice(notices.removeFirst())
    }

    /// Condenses the notices to those that the presenter cannot derive from the present state of its item.
    private mutating func condense() {
        var isGone = false
        var isMoved = false
        var kept: [PresenterNotice] = []
        for notice in notices {
            if notice == .deleted { isGone = true }
            if notice == .moved { isMoved = true }
            let isVersion = notice.version != nil && notice.subitem == nil
            if isVersion, kept.count < limit / 2 { kept.append(notice) }
        }
        notices = kept + (isMoved ? [.moved] : []) + (isGone ? [.deleted] : []) + [.changed]
    }
}
