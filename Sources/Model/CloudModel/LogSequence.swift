import Basics

/// A position in a container's log. The first entry has 1; 0 means "before everything".
package struct LogSequence: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static let zero = LogSequence(0)
    /// The next position; the largest position is its own successor.
    package var next: LogSequence { LogSequence(value == .max ? .max : value + 1) }
    package static func < (left: LogSequence, right: LogSequence) -> Bool { left.value < right.value }
    package var description: String { String(value) }
}
