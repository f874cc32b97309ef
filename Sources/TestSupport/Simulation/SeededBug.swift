/// Known mistakes of sync programs, built into the world around the real engine. A campaign that does not find each of
/// them proves nothing.
package enum SeededBug: String, CaseIterable, Sendable {
    /// The cloud accepts every edit, regardless of its base.
    case lastWriterWins
    /// The cloud accepts every deletion, regardless of concurrent edits.
    case deleteBeatsEdit
    /// A download is written over a locally edited file.
    case downloadOverEdit
    /// Two devices share an identity.
    case oneIdentity
    /// A deletion leaves no trace in the log.
    case noTombstones
    /// A batch resent after a lost reply counts as new.
    case repeatIsNew
    /// A device forgets a sent batch before it knows the outcome.
    case forgottenBatch
    /// The bytes of a file missing from the cloud are dropped.
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
    /// The cloud accepts concurrent changes of a package by two devices.
    case mixedPackages
    /// When two files become one, the content of one is sent as an edit of the other's content.
    case swappedBase
    /// Devices compare the names in the log by their bytes, although the container ignores case.
    case namesByBytes
    /// A device takes every entry under its own id for an entry created by its state.
    case ownEntries
    /// Positions in the log are compared by their numbers only.
    case numbersOnly
    /// Once uploaded, a content counts as being in the cloud.
    case trustedUploads
    /// A rebuilt device drops contents missing from the cloud.
    case emptyReset

    /// The vocabulary of the histories exposing the mistake.
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
