import CloudModel

/// Contents last seen by local programs at the names of documents.
///
/// An editor holds a text in memory, and may save it long after reading the document. If a remote content took the
/// document's place in between, the editor never saw it, and the save must not be an edit of it, but of the content
/// read by the editor.
///
/// Bounded: a name not opened by any program for a long time is forgotten, and a save there replaces its visible
/// content.
struct SeenContents<Key: Hashable> {
    private let limit: Int
    private var recent: [Key: SeenContent] = [:]
    private var older: [Key: SeenContent] = [:]

    /// - Parameter limit: The number of keys after which the oldest are forgotten; at most twice as many are kept.
    init(limit: Int = 2_048) { self.limit = limit }

    subscript(_ key: Key) -> SeenContent? { recent[key] ?? older[key] }

    mutating func remove(_ key: Key) {
        recent[key] = nil
        older[key] = nil
    }

    mutating func note(_ seen: SeenContent, at key: Key) {
        if recent.count >= limit, recent[key] == nil {
            older = recent
            recent.removeAll(keepingCapacity: true)
        }
        recent[key] = seen
    }
}

/// A content, as a program has seen it.
struct SeenContent: Equatable {
    let item: ItemID
    /// Nil for a document created by a program, before its bytes were in the cloud.
    let content: ContentReference?
}
