/// The content of a file as of the log.
package enum FileContent: Hashable, Sendable {
    /// An announced file: its size is known, but its bytes are still being uploaded and cannot be read yet.
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
