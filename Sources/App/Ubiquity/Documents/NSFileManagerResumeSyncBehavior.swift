/// The treatment of local edits when sync resumes. Apple's name: `NSFileManagerResumeSyncBehavior`.
public enum NSFileManagerResumeSyncBehavior: Int, Sendable {
    /// The edits are uploaded; changes of other devices are resolved as usual, and nothing is lost.
    case preserveLocalChanges = 0
    /// The edits are uploaded unless another device wrote the document meanwhile; then resuming fails, and sync stays paused.
    case afterUploadWithFailOnConflict = 1
    /// The edits are discarded, and the version of the cloud replaces them.
    case dropLocalChanges = 2
}
