/// Mistakes that a merge of databases could make, built into the world around the real rules. A campaign that does not find each of them
/// proves nothing.
package enum RecordMistake: String, CaseIterable, Sendable {
    /// A device folds files in the order in which they arrive.
    case foldsAsArrived
    /// A device folds files in the order of their writers' clocks.
    case foldsByClock
    /// A transaction claims to know all that the log has when it is sent.
    case claimsToKnowAll
    /// What loses is not kept.
    case forgetsLost
    /// A deleted row leaves no trace.
    case forgetsTombstones
    /// A row that became another one is unknown.
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
    /// A crash takes a transaction that was committed and not sent.
    case losesPending

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
        }
    }
}
