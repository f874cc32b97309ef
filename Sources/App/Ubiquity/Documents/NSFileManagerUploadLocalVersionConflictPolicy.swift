/// The policy of an upload for a document that another device wrote too. Apple's name: `NSFileManagerUploadLocalVersionConflictPolicy`.
public enum NSFileManagerUploadLocalVersionConflictPolicy: Int, Sendable {
    /// The newer version becomes current, and the other one becomes a conflict version.
    case conflictPolicyDefault = 0
    /// The upload fails and changes nothing. Fetch the latest version, merge the edits into it, and upload again.
    case conflictPolicyFailOnConflict = 1
}
