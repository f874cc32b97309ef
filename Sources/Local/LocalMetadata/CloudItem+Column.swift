import ContainerLog

extension CloudItem {
    /// The columns of the tables `remote` and `synced`, under their names and in the order of ``selection``; the raw value is the index
    /// there.
    enum Column: Int, CaseIterable {
        case container, item, parent, name, nameKey, kind
        case permissions, modified, created, extended
        case target, size, digest, layout
        case sequence, changeIndex, author, authorName
        case isDeleted, conflicts
    }
}
