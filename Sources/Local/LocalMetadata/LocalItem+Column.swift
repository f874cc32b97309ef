extension LocalItem {
    /// The columns of the table `local`, under their names and in the order of ``selection``; the raw value is the index there.
    enum Column: Int, CaseIterable {
        case node
        case container, item, parent, name, kind
        case permissions, modified, changed, created, accessed, user, groupID, extended
        case target, size, digest, layout, presence, ranges, generation
        case isEdited, isWriting, isKnown, isExcluded, isPaused, pin, wanted, pendingSince, used
        case downloadError, uploadError
        case conflictOf, conflictSequence, conflictIndex

        /// The columns set by this program; SQLite numbers the nodes.
        static let stored = Array(allCases.dropFirst())
    }
}
