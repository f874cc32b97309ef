/// A request for coordinated access, and the claim that it becomes. Chosen by the caller, never used twice.
package struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: ClaimID, right: ClaimID) -> Bool { left.value < right.value }
    package var description: String { "claim \(value)" }
}

/// One connection of a program. Everything it has ends with it.
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: ClientID, right: ClientID) -> Bool { left.value < right.value }
    package var description: String { "client \(value)" }
}

/// Something in a program that shows an item. Unique among all clients.
package struct PresenterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: PresenterID, right: PresenterID) -> Bool { left.value < right.value }
    package var description: String { "presenter \(value)" }
}

/// One question to a presenter, answered once. Given by the table.
package struct AskID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: AskID, right: AskID) -> Bool { left.value < right.value }
    package var description: String { "ask \(value)" }
}
