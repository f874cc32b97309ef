/// Mistakes that sync programs have made, built into the world around the real engine. A campaign that does not find each of them
/// proves nothing.
package enum SeededBug: String, CaseIterable, Sendable {
    /// The cloud accepts every edit, whatever it was based on.
    case lastWriterWins
    /// The cloud accepts every deletion, whatever was edited meanwhile.
    case deleteBeatsEdit
    /// A download is written over a file that was edited here.
    case downloadOverEdit
    /// Two devices have one identity.
    case oneIdentity
    /// A deletion leaves no trace in the log.
    case noTombstones
    /// A batch that is sent again after its reply was lost is a new one.
    case repeatIsNew
    /// A device forgets what it sent before it knows the outcome.
    case forgottenBatch
    /// The bytes of a file that is not in the cloud are dropped.
    case evictsEdits
    /// An upload ends early and counts as whole.
    case tornUpload
    /// The last commits of a device are gone after a crash.
    case lostCommits
    /// One device does not get the first change of an entry.
    case skippedChange
    /// The cloud gives two devices different orders.
    case twoOrders
    /// After a crash the bytes of edits count as leftovers.
    case sweepsEdits
    /// Bytes written during an upload count as uploaded.
    case uploadHidesWrite
    /// An edit's bytes are compared with the seal of their state before they were overwritten.
    case staleSeal
    /// The earliest write of a key counts, not the latest.
    case earlierKeyWins
    /// The cloud accepts the changes of two devices that changed one package at the same time.
    case mixedPackages
    /// When two files become one, the content of one is sent as an edit of the other's content.
    case swappedBase
    /// Devices compare the names in the log by their bytes, although the container ignores case.
    case namesByBytes
    /// A device takes every entry under its own id for one that its state has made.
    case ownEntries
    /// Positions in the log are compared by their numbers only.
    case numbersOnly
    /// A content that was uploaded once counts as being in the cloud.
    case trustedUploads
    /// A rebuilt device drops contents missing from the cloud.
    case emptyReset

    /// The vocabulary of the histories in which the mistake can be seen.
    var vocabulary: Vocabulary {
        switch self {
        case .namesByBytes: .fifth
        case .ownEntries, .numbersOnly, .trustedUploads, .emptyReset: .seventh
        default: .usual
        }
    }

    package var summary: String {
        switch self {
        case .lastWriterWins: "edits are taken whatever they were based on"
        case .deleteBeatsEdit: "deletions are taken whatever was edited meanwhile"
        case .downloadOverEdit: "downloads go over edits"
        case .oneIdentity: "two devices have one identity"
        case .noTombstones: "deletions leave no trace"
        case .repeatIsNew: "a repeated batch counts as new"
        case .forgottenBatch: "a batch on its way is forgotten"
        case .evictsEdits: "eviction takes edits"
        case .tornUpload: "half an upload counts as whole"
        case .lostCommits: "a crash takes commits"
        case .skippedChange: "one device misses a change"
        case .twoOrders: "two devices see two orders"
        case .sweepsEdits: "recovery takes edits for leftovers"
        case .uploadHidesWrite: "a write during an upload counts as uploaded"
        case .staleSeal: "what was written since counts as damage"
        case .earlierKeyWins: "the earliest write of a key counts"
        case .swappedBase: "a file gets the base of the one that it became"
        case .namesByBytes: "names in the log are compared with case"
        case .ownEntries: "entries under a device's id count as its own"
        case .numbersOnly: "positions are compared without their digests"
        case .trustedUploads: "what was uploaded once counts as stored"
        case .emptyReset: "a device that is rebuilt drops what the cloud lacks"
        case .mixedPackages: "packages that two change at once become a mix"
        }
    }
}
