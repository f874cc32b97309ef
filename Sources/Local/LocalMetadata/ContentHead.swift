import Basics
package import CloudModel

/// The first bytes of a document without a type in its name. File managers choose an icon by them, without downloading
/// the document. The uploading device stores them in the item's ``ReservedAttribute/head``, so they sync.
package struct ContentHead: Sendable, Equatable {
    /// The maximum number of bytes: enough for almost all formats' signatures, including tar's (257). Every device
    /// keeps them.
    package static let maximumBytes = 512
    /// The size of the smallest document with a head. Downloading a smaller document costs little more than the
    /// request.
    package static let smallestDocument: UInt64 = 16 << 10
    /// With more bytes than this of programs' attributes, it does not fit into the limit of an item.
    private static let ampleBytes = 32 << 10

    /// The content beginning with the bytes. The item may have different content by now.
    package let content: Digest
    package let bytes: [UInt8]

    package init(of content: Digest, bytes: [UInt8]) {
        self.content = content
        self.bytes = bytes
    }

    /// Decodes the attribute; nil for other bytes, as foreign devices write it.
    package init?(_ attribute: [UInt8]) {
        guard let digest = Digest(attribute.prefix(32)) else { return nil }
        let bytes = Array(attribute.dropFirst(32))
        guard (1...Self.maximumBytes).contains(bytes.count) else { return nil }
        self.init(of: digest, bytes: bytes)
    }

    package var attribute: [UInt8] { content.bytes + bytes }

    /// Whether a document needs a head: its name has no extension, or one without a letter, such as that of
    /// `report.2024`.
    package static func isNeeded(by name: ItemName, size: UInt64) -> Bool {
        size >= smallestDocument
            && !name.stemAndExtension.extension.contains { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte >= 0x80
            }
    }

    /// Whether the attribute fits beside the item's existing ones.
    fileprivate static func fits(_ extended: [String: [UInt8]]) -> Bool {
        extended.reduce(0) { $0 + $1.key.utf8.count + $1.value.count } <= ampleBytes
    }
}

extension LocalItem {
    /// The first bytes of the item's content; nil if they are not known.
    package var head: ContentHead? {
        get {
            guard kind == .file, let attribute = attributes.extended[ReservedAttribute.head] else { return nil }
            return ContentHead(attribute).flatMap { head in
                head.content == content?.digest && UInt64(head.bytes.count) <= size ? head : nil
            }
        }
        set {
            attributes.extended[ReservedAttribute.head] = nil
            if let newValue, ContentHead.fits(attributes.extended) {
                attributes.extended[ReservedAttribute.head] = newValue.attribute
            }
        }
    }
}
