/// The items of one folder that stay on the device, by the ignore files of the folder and its ancestors. Pure.
///
/// The rules are git's: the last matching pattern in the nearest file decides, and nothing in an ignored folder can be
/// included again.
package struct IgnoreScope: Sendable {
    /// The deciding pattern, and its file's place.
    package struct Match: Sendable, Equatable {
        /// The file's depth below the outermost folder.
        package let depth: Int
        package let pattern: IgnorePattern
    }

    private struct Level {
        let file: IgnoreFile
        let depth: Int
        /// The path from the file's folder to the current one, with a slash at its end; empty for the same folder.
        var path: [UInt8] = []
    }

    /// The files, outermost first.
    private var levels: [Level] = []
    private var depth = 0
    /// Why everything in the folder is ignored, subfolders included.
    private var folderMatch: Match?

    /// - Parameter file: The ignore file in the outermost folder, if any.
    package init(_ file: IgnoreFile?) {
        if let file { levels.append(Level(file: file, depth: 0)) }
    }

    /// Enters a folder.
    ///
    /// - Parameter file: The ignore file in it, if any.
    package mutating func enter(_ folder: ItemName, with file: IgnoreFile?) {
        folderMatch = match(folder, isFolder: true)
        depth += 1
        for index in levels.indices { levels[index].path += folder.bytes + [UInt8(ascii: "/")] }
        if let file { levels.append(Level(file: file, depth: depth)) }
    }

    /// Returns why an item of the folder is ignored; nil if it is not.
    package func match(_ name: ItemName, isFolder: Bool) -> Match? {
        if let folderMatch { return folderMatch }
        // The files that determine ignored names must be the same on all devices.
        guard isFolder || !IgnoreFile.isName(name) else { return nil }
        for level in levels.reversed() {
            let path = level.path + name.bytes
            guard let pattern = level.file.last(matching: path[...], isFolder: isFolder) else { continue }
            return pattern.isNegated ? nil : Match(depth: level.depth, pattern: pattern)
        }
        return nil
    }
}
