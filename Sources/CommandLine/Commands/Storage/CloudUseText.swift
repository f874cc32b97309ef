import Basics
import CloudModel
import DaemonProtocol

/// The table of the cloud's space, by use.
enum CloudUseText {
    static func lines(_ answer: StorageResponse, _ style: TextStyle) -> [String] {
        if let failure = answer.failure { return ["What uses the cloud's space is not known: \(failure.message)"] }
        guard let report = answer.cloud else {
            return answer.isCollectedByDevices ? ["`ubiquity storage --list` shows what uses the cloud's space."] : []
        }
        return table(report, answer.isCollectedByDevices).lines(style) + [sum(report)]
    }

    private static func table(_ report: CloudUseReport, _ isCollectedByDevices: Bool) -> TextTable {
        let parts = report.parts
        let unnamed =
            isCollectedByDevices
            ? ("nothing needs it", "`ubiquity collect` frees it, a day after it proposed that")
            : ("unfinished uploads", "free within the hour unless they continue")
        var table = TextTable([("IN THE CLOUD", .left), ("SIZE", .right), ("", .left)])
        for (name, bytes, hint) in [
            (
                "documents", parts.documents,
                parts.shared > 0 ? "several share \(ByteCount(parts.shared)) of it, counted once" : ""
            ), ("versions", parts.versions, "`ubiquity versions --remove` removes those of a document"),
            ("deleted", parts.deleted, "`ubiquity deleted --purge` removes them for good"),
            ("links", parts.links, "`ubiquity publish --list` lists them"), (unnamed.0, parts.unnamed, unnamed.1),
            ("log", parts.log, ""), ("total", parts.total, ""),
        ] where bytes > 0 || name == "total" || name == "documents" {
            table.append([name, "\(ByteCount(bytes))", hint].map { TextTable.Cell($0) })
        }
        return table
    }

    private static func sum(_ report: CloudUseReport) -> String {
        guard let counted = report.counted else { return "The cloud has no quota." }
        guard let quota = report.quota else {
            return "\(ByteCount(counted)) count for this account, which has no quota."
        }
        return "\(ByteCount(counted)) of the quota of \(ByteCount(quota)) are used."
    }
}
