/// What an upload does where another device wrote too. Apple's name: `NSFileManagerUploadLocalVersionConflictPolicy`.
public enum NSFileManagerUploadLocalVersionConflictPolicy: Int, Sendable {
    /// The newer one is current, the other one becomes a conflict version.
    case conflictPolicyDefault = 0
    /// It fails, and nothing has changed. Fetch the latest version, bring the edits into it, and upload again.
    case conflictPolicyFailOnConflict = 1
}
