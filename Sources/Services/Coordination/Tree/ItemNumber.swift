/// The daemon's number of an item: its row id and FUSE node. Survives renames and moves.
package struct ItemNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: Int64
    package init(_ value: Int64) { self.value = value }
    package static func < (left: ItemNumber, right: ItemNumber) -> Bool { left.value < right.value }
    package var description: String { "item \(value)" }
}
