/// The upload policy for a document also written by another device. Apple's name:
/// `NSFileManagerUploadLocalVersionConflictPolicy`.
public enum NSFileManagerUploadLocalVersionConflictPolicy: Int, Sendable {
    /// The newer version becomes current, and the older becomes a conflict version.
    case conflictPolicyDefault = 0
    /// The upload fails and changes nothing. Fetch the latest version, merge the edits into it, and upload again.
    case conflictPolicyFailOnConflict = 1
}
