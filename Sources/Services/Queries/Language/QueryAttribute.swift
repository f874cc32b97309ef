package import CloudModel

/// An item's attribute for use in queries. Each has a short name for people and its `NSMetadataItem` names.
package enum QueryAttribute: Hashable, Sendable {
    case name, path, container, kind, contentType, contentTypeTree, fileExtension
    case size, modified, created
    case conflictOf, isUbiquitous, isExternal, isShared, tags
    case fact(DocumentFact)
    /// An extended attribute of the document, as text: `xattr.user.comment`.
    case extended(String)

    package enum Kind: Sendable { case text, number, flag, date, list }

    package var kind: Kind {
        switch self {
        case .name, .path, .container, .kind, .contentType, .fileExtension, .conflictOf, .extended: .text
        case .size: .number
        case .modified, .created: .date
        case .contentTypeTree, .tags: .list
        case .isUbiquitous, .isExternal, .isShared: .flag
        case .fact(let fact):
            switch fact.kind {
            case .flag: .flag
            case .percentage: .number
            case .text, .error: .text
            }
        }
    }

    /// Short names first, for messages and listings. The values of Apple's constants follow, then the names of
    /// constants whose value differs from their name: a predicate given as text contains the name, and nothing replaces
    /// it by the value.
    private static let names: [(attribute: QueryAttribute, names: [String])] =
        [
            (
                .name,
                [
                    "name", "kMDItemFSName", "kMDItemDisplayName", "displayName", "SELF", "NSMetadataItemFSNameKey",
                    "NSMetadataItemDisplayNameKey",
                ]
            ),
            (.path, ["path", "kMDItemPath", "NSMetadataItemPathKey"]),
            (.container, ["container", "NSMetadataUbiquitousItemContainerDisplayNameKey"]),
            (.kind, ["kind", "kMDItemKind"]),
            (.contentType, ["contentType", "kMDItemContentType", "NSMetadataItemContentTypeKey"]),
            (.contentTypeTree, ["contentTypeTree", "kMDItemContentTypeTree", "NSMetadataItemContentTypeTreeKey"]),
            (.fileExtension, ["extension", "pathExtension"]),
            (.size, ["size", "kMDItemFSSize", "NSMetadataItemFSSizeKey"]),
            (
                .modified,
                [
                    "modified", "kMDItemFSContentChangeDate", "kMDItemContentModificationDate",
                    "NSMetadataItemFSContentChangeDateKey",
                ]
            ),
            (
                .created,
                ["created", "kMDItemFSCreationDate", "kMDItemContentCreationDate", "NSMetadataItemFSCreationDateKey"]
            ),
            (.conflictOf, ["conflictOf", "NSMetadataUbiquitousItemConflictOfKey"]),
            (.isUbiquitous, ["isUbiquitous", "NSMetadataItemIsUbiquitousKey"]),
            (.isExternal, ["isExternal", "NSMetadataUbiquitousItemIsExternalDocumentKey"]),
            (.isShared, ["isShared", "NSMetadataUbiquitousItemIsSharedKey"]),
            (.tags, ["tags", "kMDItemUserTags"]),
        ] + DocumentFact.allCases.map { (.fact($0), $0.queryNames) }

    private static let byName: [String: QueryAttribute] = Dictionary(
        names.flatMap { entry in entry.names.map { ($0, entry.attribute) } }, uniquingKeysWith: { first, _ in first })

    private static let extendedPrefix = "xattr."

    /// Returns nil for an unknown name.
    package init?(name: String) {
        if let known = Self.byName[name] {
            self = known
        } else if name.hasPrefix(Self.extendedPrefix), name.utf8.count > Self.extendedPrefix.utf8.count {
            self = .extended(String(name.dropFirst(Self.extendedPrefix.utf8.count)))
        } else {
            return nil
        }
    }

    /// The short name.
    package var name: String {
        if case .extended(let name) = self { return Self.extendedPrefix + name }
        return Self.names.first { $0.attribute == self }?.names.first ?? ""
    }

    /// The short names of all attributes.
    package static var allNames: [String] { names.compactMap(\.names.first) }

    /// All attributes except the extended ones.
    package static var all: [QueryAttribute] { names.map(\.attribute) }
}
