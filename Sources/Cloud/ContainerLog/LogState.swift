package import Basics
package import CloudModel

/// The state needed for folding a log, beside its items.
package struct LogState: Hashable, Sendable {
    /// The last entry folded.
    package var position: LogPosition
    /// The rules for folding the next entry.
    package var rules: UInt16
    /// The log's clock; it never runs backwards and bounds every time in a change.
    package var time: Timestamp
    /// Whether names are compared by case folding and NFC.
    package var foldsNames: Bool

    package init(
        position: LogPosition = .start, rules: UInt16 = 1, time: Timestamp = .zero, foldsNames: Bool = false
    ) {
        self.position = position
        self.rules = rules
        self.time = time
        self.foldsNames = foldsNames
    }

    package var sequence: LogSequence { position.sequence }
}
