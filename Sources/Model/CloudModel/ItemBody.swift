/// The kind of an item, with its content.
package enum ItemBody: Hashable, Sendable {
    case folder
    case symlink(target: [UInt8])
    case file(FileContent)

    package var kind: ItemKind {
        switch self {
        case .folder: .folder
        case .symlink: .symlink
        case .file: .file
        }
    }

    package var content: FileContent? {
        if case .file(let content) = self { content } else { nil }
    }
}
