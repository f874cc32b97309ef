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

    /// Types of ten or more users whose file has another name. The list only shrinks.
    private static let guests: Set<Substring> = ["RecordFileError", "RecordKey", "RecordPosition"]

    private static let declaring: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    private static let modifiers: Set<Substring> = ["package", "public", "final", "indirect", "private", "fileprivate"]

    /// Returns the words of a line without the comment at its end.
    private static func words(_ line: Substring) -> [Substring] {
        let code = line.utf8.firstRange(of: "//".utf8).map { line[..<$0.lowerBound] } ?? line
        return code.utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }.map { Substring($0) }
    }

    @Test("a type that ten or more other files use has a file of its name")
    func owners() {
        /// The files that declare a type of a name; "" for a type that only a part of a file sees, which makes the name ambiguous.
        var homes: [Substring: [String]] = [:]
        var users: [Substring: Int] = [:]
        for file in Repository.files(below: "Sources", ending: [".swift"]) {
            var seen: Set<Substring> = []
            for line in file.lines {
                let words = Self.words(line)
                seen.formUnion(words)
                guard let keyword = words.firstIndex(where: { !Self.modifiers.contains($0) }),
                    keyword + 1 < words.count,
                    Self.declaring.contains(words[keyword])
                else { continue }
                let isSeen = line.first != " " && !words[..<keyword].contains { $0.hasSuffix("private") }
                homes[words[keyword + 1], default: []].append(isSeen ? file.path : "")
            }
            for word in seen { users[word, default: 0] += 1 }
        }
        var left: Set<Substring> = []
        for (name, paths) in homes {
            guard paths.count == 1, let path = paths.first, let others = users[name], others > 10, !path.isEmpty,
                !Self.stem(path).hasPrefix(name), !Self.groups.contains(where: { Self.stem(path).hasSuffix($0) })
            else { continue }
            left.insert(name)
            if Self.guests.contains(name) { continue }
            Issue.record("\(others - 1) other files use \(name) of \(path): give it a file of its own")
        }
        #expect(left.isSuperset(of: Self.guests), "remove \(Self.guests.subtracting(left)) from the list")
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
