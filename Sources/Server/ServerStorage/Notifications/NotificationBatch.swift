import CloudModel

/// A process's pending notifications. Pure.
///
/// A log appears once, with its newest end. Their number is bounded, for times when none can be sent.
struct NotificationBatch: Sendable {
    private struct Log: Hashable {
        let account: AccountID
        let container: String
    }

    /// More than a process commits within a pause between two notifications.
    static let maximumLogs = 8_192

    private var ends: [Log: LogEnd] = [:]
    private var isEverything = false

    var isEmpty: Bool { ends.isEmpty && !isEverything }

    mutating func add(_ end: LogEnd) {
        guard !isEverything else { return }
        let log = Log(account: end.account, container: end.container.text)
        guard ends[log].map({ $0.sequence < end.sequence }) ?? true else { return }
        ends[log] = end
        if ends.count > Self.maximumLogs { addEverything() }
    }

    mutating func addEverything() { (ends, isEverything) = ([:], true) }

    /// Adds notifications after a failure to send them.
    mutating func add(_ content: NotificationMessage.Content) {
        switch content {
        case .ends(let ends): for end in ends { add(end) }
        case .everything: addEverything()
        }
    }

    /// Returns the pending notifications, and empties the batch; nil if there is nothing.
    mutating func take() -> NotificationMessage.Content? {
        guard !isEmpty else { return nil }
        defer { self = NotificationBatch() }
        return isEverything ? .everything : .ends(Array(ends.values))
    }
}
