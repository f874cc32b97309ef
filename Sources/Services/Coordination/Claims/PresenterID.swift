/// The id of a presenter, a program's object showing an item. Unique among all clients.
package struct PresenterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: PresenterID, right: PresenterID) -> Bool { left.value < right.value }
    package var description: String { "presenter \(value)" }
}
