/// Early ends of download requests.
extension TransferQueue {
    /// Ends the requests to download a file, or the files below a folder, up to a priority. Pinned files stay
    /// requested. Scans the wanted files, not the possibly very large folder.
    ///
    /// - Returns: The files as they were.
    package func unwant(_ item: LocalItem, upTo priority: UInt8) throws -> [LocalItem] {
        let wanted = try fetchReadable(
            "SELECT \(LocalItem.selection) FROM local WHERE wanted > 0 AND wanted <= ?", [Int(priority)]
        ).items.filter { file in
            guard try file.node == item.node || transaction.local.isInside(file.node, item.node) else { return false }
            return try transaction.local.effectivePin(of: file.node) != .keep
        }
        for file in wanted {
            var row = file
            row.wanted = 0
            try transaction.local.update(row)
        }
        return wanted
    }
}
