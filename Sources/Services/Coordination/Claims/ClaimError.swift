/// The reason why a request ended before its accessor ran.
package struct ClaimError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The client cancelled the request.
        case cancelled
        /// The request waited for as long as it allowed.
        case timedOut
        /// The request would have waited for a claim or presenter waiting for the request.
        case deadlock
        /// The item was deleted before the request was granted.
        case itemGone
        /// A presenter could not do as requested.
        case presenterFailed
        /// A presenter does not relinquish the item's local bytes.
        case presenterKeepsItem
    }

    package let code: Code
    /// What happened, to which item, and the remedy.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// Compares the codes alone; messages are for people.
    package static func == (left: ClaimError, right: ClaimError) -> Bool { left.code == right.code }
}

extension ClaimError {
    static let cancelled = ClaimError(.cancelled, "The access was cancelled before it began.")

    static func gone(_ key: ItemKey) -> ClaimError {
        ClaimError(.itemGone, "\(key) was deleted before the access began. Look it up again.")
    }

    static func timedOut(waitingFor others: [WaitForGraph.Node]) -> ClaimError {
        let names = others.prefix(5).map(\.description).joined(separator: ", ")
        let more = others.count > 5 ? " and \(others.count - 5) more" : ""
        return ClaimError(.timedOut, "The access did not begin in time: it waited for \(names)\(more). Try again.")
    }

    static func deadlock(_ path: [WaitForGraph.Node]) -> ClaimError {
        let names = path.map(\.description).joined(separator: ", which waits for ")
        return ClaimError(
            .deadlock,
            "The access would wait for itself: \(names). Ask for all items in one request, not inside another.")
    }

    static func failed(_ presenter: PresenterID, _ reason: String) -> ClaimError {
        ClaimError(.presenterFailed, "A program that shows the item is not ready (\(presenter): \(reason)). Try again.")
    }

    static func kept(by presenter: PresenterID) -> ClaimError {
        ClaimError(
            .presenterKeepsItem,
            "A program shows the item and does not allow its eviction (\(presenter)). Close it there.")
    }
}
