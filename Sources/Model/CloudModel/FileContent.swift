/// What the log knows of a file's content.
package enum FileContent: Hashable, Sendable {
    /// Metadata came first: the size is known, the bytes are still on their way to the cloud and can not be read yet.
    case announced(size: UInt64)
    case stored(ContentReference)

    package var size: UInt64 {
        switch self {
        case .announced(let size): size
        case .stored(let reference): reference.size
        }
    }

    package var reference: ContentReference? {
        if case .stored(let reference) = self { reference } else { nil }
    }
}
