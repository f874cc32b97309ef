import DaemonProtocol
package import Maintenance

extension RebuildReport {
    /// The report as a sentence for the user.
    package var sentence: String {
        var text = "rebuilt this device's state from the cloud because \(DaemonFailure.clause(reason)). "
        if let folder {
            text +=
                "\(Self.documents(recovered)) that the cloud did not have \(recovered == 1 ? "is" : "are") in \(folder). "
        } else if lost.isEmpty {
            text += "All documents were in the cloud. "
        }
        if repaired > 0 {
            text += "The cloud had lost bytes of \(Self.documents(repaired)); they were uploaded again. "
        }
        if keptAside > 0 {
            text +=
                "\(keptAside == 1 ? "1 file" : "\(keptAside) files") of unknown origin stayed in the content folder of the old state. "
        }
        if !lost.isEmpty {
            let names = lost.prefix(Self.shown).joined(separator: ", ")
            let rest =
                lost.count > Self.shown ? " and \(lost.count - Self.shown) more, which report.json there names" : ""
            text +=
                "Neither this device nor the cloud had the bytes of \(Self.documents(UInt64(lost.count))): \(names)\(rest). "
        }
        return text + "The old state is in \(aside)."
    }

    /// The maximum number of names in the sentence.
    private static let shown = 10

    private static func documents(_ count: UInt64) -> String { count == 1 ? "1 document" : "\(count) documents" }
}
