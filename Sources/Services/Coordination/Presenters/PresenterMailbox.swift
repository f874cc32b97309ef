/// Pending messages for a busy presenter.
///
/// A question overtakes notices: a claim waits for the answer, and a slow callback must not hold that up. Questions
/// keep their order, and so do notices. Bounded: if a presenter reads nothing, its notices are merged into a single
/// change notice.
package struct PresenterMailbox: Sendable {
    private var urgent: [PresenterDelivery] = []
    private var notices: [PresenterNotice] = []
    private let limit: Int

    /// - Parameter limit: The maximum number of pending notices. A thousand is more than any program handles
    ///   individually.
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

    /// Condenses the notices to those not derivable from the item's current state.
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
