package import Basics
package import CloudModel

/// The state that the fold of a log needs beside its items.
package struct LogState: Hashable, Sendable {
    /// The last entry folded.
    package var position: LogPosition
    /// The rules that the next entry is folded with.
    package var rules: UInt16
    /// The log's clock, which never runs backwards and bounds every time in a change.
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
