/// Possible mistakes of a database merge, built into the world around the real rules. A campaign that does not find
/// each of them proves nothing.
package enum RecordMistake: String, CaseIterable, Sendable {
    /// A device folds files in order of arrival.
    case foldsAsArrived
    /// A device folds files in the order of their writers' clocks.
    case foldsByClock
    /// A transaction claims to know everything in the log when it is sent.
    case claimsToKnowAll
    /// Losing values are not kept.
    case forgetsLost
    /// A deleted row leaves no trace.
    case forgetsTombstones
    /// A row united with another is unknown.
    case forgetsAliases
    /// After a crash the last file counts again.
    case countsFileTwice
    /// A row's children are not found.
    case seesNoChildren
    /// Rows with the same unique values are not found.
    case seesNoTwins
    /// A counter is written as a plain value.
    case setsCounters
    /// One device does not get the last change of a transaction.
    case skipsChange
    /// A crash takes a committed but unsent transaction.
    case losesPending
    /// A baseline lacks deleted rows.
    case baselineWithoutTombstones
    /// A baseline lacks the keys of united rows.
    case baselineWithoutAliases
    /// A baseline lacks lost values.
    case baselineWithoutLost
    /// A file rewritten after its removal counts as the removed file.
    case countsRewrittenFiles
    /// A baseline is taken before all of its parts are there.
    case takesHalfBaseline
    /// A device folds available files although earlier files were removed.
    case foldsBeyondRemoved
    /// A device taking a baseline drops its pending transactions.
    case dropsPending
    /// A device taking a baseline keeps the baseline's transactions as pending.
    case keepsConfirmed
    /// Files are removed when the baseline is written, and not when the log has it.
    case removesTooEarly

    package var summary: String {
        switch self {
        case .foldsAsArrived: "files count in the order of their arrival"
        case .foldsByClock: "files count in the order of clocks"
        case .claimsToKnowAll: "a transaction claims to know what it did not"
        case .forgetsLost: "what loses is dropped"
        case .forgetsTombstones: "deleted rows leave no trace"
        case .forgetsAliases: "rows that became others are forgotten"
        case .countsFileTwice: "a file counts twice after a crash"
        case .seesNoChildren: "parents are deleted from above their children"
        case .seesNoTwins: "rows with the same unique values are not found"
        case .setsCounters: "counters are overwritten"
        case .skipsChange: "one device misses a change"
        case .losesPending: "a crash takes committed transactions"
        case .baselineWithoutTombstones: "a baseline lacks deleted rows"
        case .baselineWithoutAliases: "a baseline lacks rows that became others"
        case .baselineWithoutLost: "a baseline lacks lost values"
        case .countsRewrittenFiles: "a file that was removed and written again counts"
        case .takesHalfBaseline: "a baseline is taken in part"
        case .foldsBeyondRemoved: "files count although earlier ones are gone"
        case .dropsPending: "taking a baseline drops pending transactions"
        case .keepsConfirmed: "taking a baseline keeps pending what it has"
        case .removesTooEarly: "files are removed before the log has the baseline"
        }
    }
}
