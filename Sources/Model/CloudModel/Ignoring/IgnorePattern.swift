/// One pattern of an ``IgnoreFile``.
package struct IgnorePattern: Sendable, Equatable {
    /// The pattern as it is written, without the spaces at its end.
    package let text: [UInt8]
    /// The number of its line, from 1.
    package let line: Int
    /// Whether it begins with `!`: what it matches is included again.
    package let isNegated: Bool
    /// Whether it ends with a slash, and so matches folders only.
    private let needsFolder: Bool
    /// Whether it is compared with the path from the file's folder on, because it has a slash, and not with the name alone.
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
    ///   - path: The path from the folder of the file on.
    ///   - name: The last name of the path.
    func matches(_ path: ArraySlice<UInt8>, name: ArraySlice<UInt8>, isFolder: Bool) -> Bool {
        guard isFolder || !needsFolder else { return false }
        return glob.matches(isPath ? path : name)
    }

    private static let slash = UInt8(ascii: "/")
}
