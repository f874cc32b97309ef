import DaemonCore
import VirtualFileSystem

extension FuzzTarget {
    /// The daemon's inputs about programs that open documents: texts of `/proc`, and `programs.json`.
    static let programs = FuzzTarget(name: "program") { bytes in
        if let stat = ProcessStat(parsing: bytes) {
            try Violation.unless(stat.name.count < bytes.count, "a name that is longer than its text")
        }
        let groups = ProcessTexts.controlGroups(bytes)
        try Violation.unless(groups.allSatisfy { $0.utf8.first == UInt8(ascii: "/") }, "a control group without a path")
        try Violation.unless(ProcessTexts.arguments(bytes).count <= 8, "too many arguments")
        let declared = ProcessTexts.declared(bytes)
        let rules = accepted { try ProgramRulesFile.parse(bytes, path: "/p") }
        try Violation.unless(rules?.allowances.keys.contains("") != true, "a program without a name")
        return rules != nil || declared != nil || !groups.isEmpty || ProcessStat(parsing: bytes) != nil
    } seeds: {
        let fields = String(repeating: " 1", count: 49)
        return [
            "12 (a (b) c) S\(fields)\n", "0::/user.slice/background.slice/x.service\n",
            "A=b\u{0}UBIQUITY_DOWNLOADS=deny\u{0}",
            #"{"full": ["borg"], "head": ["/usr/bin/file"], "deny": ["my-indexer"]}"#,
        ].map { Array($0.utf8) }
    }
}
