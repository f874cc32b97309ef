/// The treatment of local edits when sync resumes. Apple's name: `NSFileManagerResumeSyncBehavior`.
public enum NSFileManagerResumeSyncBehavior: Int, Sendable {
    /// Uploads the edits; remote changes are resolved as usual, and nothing is lost.
    case preserveLocalChanges = 0
    /// Uploads the edits unless another device wrote the document meanwhile; then resuming fails, and
    /// sync stays paused.
    case afterUploadWithFailOnConflict = 1
    /// Discards the edits, and replaces them with the cloud's version.
    case dropLocalChanges = 2
}
