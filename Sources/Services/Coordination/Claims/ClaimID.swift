/// The id of a request for coordinated access, and of the claim that it becomes. Chosen by the caller, never used twice.
package struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: ClaimID, right: ClaimID) -> Bool { left.value < right.value }
    package var description: String { "claim \(value)" }
}

/// The id of one connection of a program. Its claims and presenters end with it.
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: ClientID, right: ClientID) -> Bool { left.value < right.value }
    package var description: String { "client \(value)" }
}

/// The id of a presenter, an object of a program that shows an item. Unique among all clients.
package struct PresenterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: PresenterID, right: PresenterID) -> Bool { left.value < right.value }
    package var description: String { "presenter \(value)" }
}

/// The id of one question to a presenter, which is answered once. Chosen by the table.
package struct AskID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: AskID, right: AskID) -> Bool { left.value < right.value }
    package var description: String { "ask \(value)" }
}
