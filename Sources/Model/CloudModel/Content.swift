package import Basics

/// The bytes of one version of a file, by name. Equal bytes have equal references: chunk boundaries depend on content alone.
package struct ContentReference: Hashable, Sendable {
    package enum Layout: UInt8, Sendable {
        /// No bytes at all; the digest is that of the empty string.
        case empty = 0
        /// One chunk; the digest names it.
        case chunk = 1
        /// Several chunks; the digest names the chunk that holds their ``Manifest``.
        case manifest = 2
    }

    package let digest: Digest
    package let size: UInt64
    package let layout: Layout

    package init(digest: Digest, size: UInt64, layout: Layout) {
        self.digest = digest
        self.size = size
        self.layout = layout
    }
}

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

package enum ItemKind: UInt8, Sendable {
    case folder = 0
    case file = 1
    case symlink = 2
}

/// What an item is made of.
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

/// The attributes that sync, each merged by itself.
package struct ItemAttributes: Hashable, Sendable {
    /// Permission bits, `07777` of `st_mode`.
    package var permissions: UInt16
    package var modified: Timestamp
    package var created: Timestamp
    /// `user.*` extended attributes, by full name.
    package var extended: [String: [UInt8]]

    package init(
        permissions: UInt16, modified: Timestamp, created: Timestamp, extended: [String: [UInt8]] = [:]
    ) {
        self.permissions = permissions
        self.modified = modified
        self.created = created
        self.extended = extended
    }
}
