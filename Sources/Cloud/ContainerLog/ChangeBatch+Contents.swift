package import CloudModel

extension ChangeBatch {
    /// The distinct stored contents whose bytes the batch adds: all their chunks have to be in the cloud before the
    /// append.
    package var contents: Set<ContentReference> { Set(changes.compactMap(\.content)) }

    /// Whether the batch adds contents and so is subject to collections.
    package var bringsContents: Bool { changes.contains { $0.content != nil } }

    /// Whether the batch may remove versions from the history.
    package var removesVersions: Bool { changes.contains { if case .resolve = $0 { true } else { false } } }
}

extension Change {
    fileprivate var content: ContentReference? {
        let content: ContentReference? =
            switch self {
            case .create(_, _, _, _, let body): body.content?.reference
            case .edit(_, _, let content, _): content.reference
            case .move, .setAttributes, .delete, .resolve, .setValue, .collection, .raiseRules: nil
            }
        return content?.layout == .empty ? nil : content
    }
}
