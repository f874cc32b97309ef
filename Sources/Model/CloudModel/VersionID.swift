import Basics

/// A version of an item's content: its log entry and the change inside that entry. The log assigns it, so all devices
/// agree on it.
package struct VersionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let sequence: LogSequence
    package let index: UInt32

    package init(sequence: LogSequence, index: UInt32) {
        self.sequence = sequence
        self.index = index
    }

    package static func < (left: VersionID, right: VersionID) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }

    package var description: String { "\(sequence).\(index)" }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = UInt64(parts[0]), let index = UInt32(parts[1]) else { return nil }
        self.init(sequence: LogSequence(sequence), index: index)
    }
}
