/// What becomes of edits when sync goes on. Apple's name: `NSFileManagerResumeSyncBehavior`.
public enum NSFileManagerResumeSyncBehavior: Int, Sendable {
    /// They are uploaded; what other devices did meanwhile is resolved as always, and nothing is lost.
    case preserveLocalChanges = 0
    /// They are uploaded, unless another device wrote since: then resuming fails, and sync stays paused.
    case afterUploadWithFailOnConflict = 1
    /// They are given up; the version of the cloud takes their place.
    case dropLocalChanges = 2
}
