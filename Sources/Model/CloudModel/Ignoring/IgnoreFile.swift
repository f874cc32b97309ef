/// A file `.ubiquityignore`: patterns for names below its folder that stay on the device, in the syntax of
/// gitignore(5).
///
/// A file over a limit has no effect as a whole: half of the patterns would let some names through.
package struct IgnoreFile: Sendable, Equatable {
    /// Why a file has no effect.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        case isTooLarge
        case hasTooManyPatterns
        case hasLongPattern(line: Int)

        package var description: String {
            switch self {
            case .isTooLarge: "it is larger than 64 KiB"
            case .hasTooManyPatterns: "it has more than \(IgnoreFile.maximumPatterns) patterns"
            case .hasLongPattern(let line): "its line \(line) is longer than \(IgnoreFile.maximumLength) bytes"
            }
        }
    }

    package static let maximumSize = 65_536
    package static let maximumPatterns = 1_000
    /// Of one pattern, in bytes.
    package static let maximumLength = 1_024

    /// In file order.
    package let patterns: [IgnorePattern]

    package init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= Self.maximumSize else { throw .isTooLarge }
        var patterns: [IgnorePattern] = []
        var text = bytes[...]
        // A byte order mark of UTF-8.
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard let pattern = Self.pattern(in: line) else { continue }
            guard pattern.count <= Self.maximumLength else { throw .hasLongPattern(line: index + 1) }
            guard patterns.count < Self.maximumPatterns else { throw .hasTooManyPatterns }
            patterns.append(IgnorePattern(pattern, line: index + 1))
        }
        self.patterns = patterns
    }

    /// Returns the deciding pattern, the last match for an item; nil if none matches.
    package func last(matching path: ArraySlice<UInt8>, isFolder: Bool) -> IgnorePattern? {
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
        return patterns.last { $0.matches(path, name: name, isFolder: isFolder) }
    }

    /// Returns the pattern of a line; nil for an empty line and a comment.
    private static func pattern(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var line = line
        if line.last == 0x0D { line = line.dropLast() }
        // No name contains NUL. As in git, it ends the line.
        line = line.prefix { $0 != 0 }
        line = withoutTrailingSpaces(line)
        return line.isEmpty || line.first == UInt8(ascii: "#") ? nil : line
    }

    /// Removes the spaces at the end, except after a backslash.
    private static func withoutTrailingSpaces(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = line.startIndex
        var index = line.startIndex
        while index < line.endIndex {
            let isEscape = line[index] == UInt8(ascii: "\\")
            // The byte after a backslash is part of the pattern.
            if isEscape { index = min(index + 1, line.endIndex - 1) }
            if isEscape || line[index] != UInt8(ascii: " ") { end = index + 1 }
            index += 1
        }
        return line[..<end]
    }
}

extension IgnoreFile {
    /// The name of such files. It has no typed constant, because creating an `ItemName` can fail.
    package static let name = ".ubiquityignore"

    package static func isName(_ name: ItemName) -> Bool { name.bytes.elementsEqual(Self.name.utf8) }
}
