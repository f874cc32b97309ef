import CloudModel
import LocalMetadata

/// Follows the log where the patterns of ignore files apply.
extension TreeFollower {
    /// Includes a folder excluded by a pattern, because the log has a remote folder of the same name. Its contents stay
    /// on this device as before, each item for itself.
    ///
    /// - Returns: The folder's current row.
    func includingFolder(_ old: LocalItem) throws -> LocalItem {
        guard old.exclusion == .byPattern else { return old }
        var last = NodeID(0)
        while case let children = try transaction.local.children(of: old.node, after: last, limit: 500),
            !children.isEmpty
        {
            for var child in children {
                last = child.node
                child.exclusion = .byPattern
                try transaction.local.update(child)
            }
        }
        var folder = old
        folder.exclusion = .none
        try transaction.local.update(folder)
        return folder
    }
}

extension LocalItem {
    /// Requests the download of an ignore file without local bytes. Returns whether the item is an ignore file.
    @discardableResult
    mutating func wantIgnoreFile() -> Bool {
        guard kind == .file, !isMaterialised, IgnoreFile.isName(name), size <= IgnoreFile.maximumSize else {
            return false
        }
        wanted = max(wanted, DownloadPriority.ignoreFile)
        return true
    }
}
