/// A pattern of an ``IgnoreFile``.
package struct IgnorePattern: Sendable, Equatable {
    /// The pattern as written, without the spaces at its end.
    package let text: [UInt8]
    /// Its line number, from 1.
    package let line: Int
    /// Whether it begins with `!`: its matches are included again.
    package let isNegated: Bool
    /// Whether it ends with a slash, and so only matches folders.
    private let needsFolder: Bool
    /// Whether it has a slash, and so is compared with the path from the file's folder instead of only the name.
    private let isPath: Bool
    private let glob: Glob

    /// - Parameter text: A line that is neither empty nor a comment.
    init(_ text: ArraySlice<UInt8>, line: Int) {
        self.text = Array(text)
        self.line = line
        var rest = text
        isNegated = rest.first == UInt8(ascii: "!")
        if isNegated { rest = rest.dropFirst() }
        needsFolder = rest.last == Self.slash
        if needsFolder { rest = rest.dropLast() }
        isPath = rest.contains(Self.slash)
        if isPath, rest.first == Self.slash { rest = rest.dropFirst() }
        glob = Glob(rest, isPath: isPath)
    }

    /// Returns whether the pattern matches an item.
    ///
    /// - Parameters:
    ///   - path: The path from the file's folder.
    ///   - name: The last name of the path.
    func matches(_ path: ArraySlice<UInt8>, name: ArraySlice<UInt8>, isFolder: Bool) -> Bool {
        guard isFolder || !needsFolder else { return false }
        return glob.matches(isPath ? path : name)
    }

    private static let slash = UInt8(ascii: "/")
}
