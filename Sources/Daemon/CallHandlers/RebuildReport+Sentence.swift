import DaemonProtocol
package import Maintenance

extension RebuildReport {
    /// The report as a sentence for the user.
    package var sentence: String {
        var text = "rebuilt this device's state from the cloud because \(DaemonFailure.clause(reason)). "
        if let folder {
            text += "\(recovered) documents that the cloud did not have are in \(folder). "
        } else {
            text += "All documents were in the cloud. "
        }
        if repaired > 0 { text += "\(repaired) documents were uploaded again, as the cloud had lost bytes of them. " }
        if keptAside > 0 { text += "\(keptAside) files of unknown origin are in the content folder of the old state. " }
        if !lost.isEmpty { text += "The bytes of \(lost.count) documents were lost: \(lost.joined(separator: ", ")). " }
        return text + "The old state is in \(aside)."
    }
}
