import CloudModel

extension FuzzTarget {
    /// Ignore files from remote devices: a path, a NUL, and the text of a file.
    static let ignoreFiles = FuzzTarget(name: "ignore") { bytes in
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, let text = parts.dropFirst().first,
            let file = accepted({ try IgnoreFile(Array(text)) })
        else { return false }
        let lines = text.count { $0 == 0x0A } + 1
        for pattern in file.patterns {
            try Violation.unless((1...lines).contains(pattern.line), "a pattern in line \(pattern.line) of \(lines)")
            try Violation.unless(!pattern.text.isEmpty, "an empty pattern")
            var steps = 0
            _ = Glob(pattern.text, isPath: true).matches(path, steps: &steps)
            try Violation.unless(steps <= (pattern.text.count + 1) * path.count, "a pattern of \(steps) steps")
        }
        let last = file.last(matching: path, isFolder: true)
        try Violation.unless(last.map(file.patterns.contains) ?? true, "a pattern of another file")
        return true
    } seeds: {
        [
            "src/a.o\0\u{FEFF}# objects\r\n*.o\r\n!keep.o  \nbuild/\n/dist/**\n**/tmp/\nfoo/**/bar\n",
            "a b]\0[]a-z[:digit:]^-]*\\ \n\\#\\!a?[!x]\n[\n[[:none:]]\n\\",
        ].map { Array($0.utf8) }
    }
}
