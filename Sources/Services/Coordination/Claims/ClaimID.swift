/// The id of a request for coordinated access, and of the resulting claim. Chosen by the caller, never used twice.
package struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: ClaimID, right: ClaimID) -> Bool { left.value < right.value }
    package var description: String { "claim \(value)" }
}
