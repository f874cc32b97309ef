import Testing

/// Checks that a reader who knows the name of a type finds it in the file of that name.
@Suite("Files and types")
struct HomeTests {
    /// Names of files with several types about one idea, such as the messages of one noun, the commands or the pages.
    private static let groups = [
        "Messages", "Commands", "Pages", "Page", "Coding", "Rows", "Names", "Keys", "Envelopes", "Frames",
        "Translation",
    ]

    /// Returns the part of the name before the plus sign: `X+Y.swift` extends X or is about it.
    private static func stem(_ path: String) -> Substring {
        let name = path.split(separator: "/").last ?? ""
        return name.prefix { $0 != "+" && $0 != "." }
    }

    private static func declaredNames(_ lines: [Substring]) -> Set<String> {
        var names: Set<String> = []
        let declaration =
            #/\b(?:struct|class|enum|protocol|actor|extension|typealias|macro|func|case|let|var)\s+`?([A-Za-z_][A-Za-z_0-9.]*)/#
        for line in lines {
            for match in line.matches(of: declaration) {
                for part in match.1.split(separator: ".") { names.insert(part.lowercased()) }
            }
        }
        return names
    }

    @Test("a file declares or extends the type that it is named after")
    func homes() {
        for file in Repository.files(ending: [".swift"]) where file.path.hasPrefix("Sources/") {
            let stem = Self.stem(file.path)
            if stem == "main" || Self.groups.contains(where: { stem.hasSuffix($0) }) { continue }
            guard !Self.declaredNames(file.lines).contains(stem.lowercased()) else { continue }
            Issue.record("\(file.path) neither declares nor extends \(stem)")
        }
    }

    @Test("no two source files have the same name")
    func twins() {
        let files = Repository.files(ending: [".swift"]).filter { $0.path.hasPrefix("Sources/") }
        let homes = Dictionary(grouping: files) { $0.path.split(separator: "/").last ?? "" }
        for (name, files) in homes where files.count > 1 {
            Issue.record("\(name) is the name of \(files.map(\.path).joined(separator: " and "))")
        }
    }
}
