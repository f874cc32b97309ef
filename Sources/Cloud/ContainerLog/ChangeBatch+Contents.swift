package import CloudModel

extension ChangeBatch {
    /// The stored contents with bytes that the batch brings, each once: the chunks of all of them have to be in the cloud before the batch
    /// is appended.
    package var contents: Set<ContentReference> { Set(changes.compactMap(\.content)) }

    /// Whether the batch brings contents that a collection could remove.
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
