/// The id of a question to a presenter, to be answered once. Chosen by the table.
package struct AskID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: AskID, right: AskID) -> Bool { left.value < right.value }
    package var description: String { "ask \(value)" }
}
