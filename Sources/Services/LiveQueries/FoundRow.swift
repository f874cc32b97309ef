import Basics
import CloudModel
import DaemonProtocol
import LocalMetadata
import Queries
import VirtualFileSystem

/// An item as a query sees it: its row, and facts derived from the rows around it.
struct FoundRow: LiveSubject, Sendable {
    /// The common values of all items in a folder.
    struct Folder: Sendable {
        /// The path below the mount point.
        let path: [UInt8]
        let isInDocuments: Bool
        /// The outermost package at or above the folder.
        var package: NodeID?
    }

    let item: LocalItem
    let folder: Folder
    let container: ContainerName
    /// The state as in ``VirtualFileSystem/status(of:)``.
    let sync: DocumentState
    /// For a conflict version, its document's path below the mount point.
    let conflictOf: [UInt8]?
    let mountPoint: String

    var scopeContainer: Int64 { item.container.value }
    var isInDocuments: Bool { folder.isInDocuments }
    /// A container's own folders are not documents, and an item inside a package is part of a document.
    var isResult: Bool { item.item != .root && item.item != .documents && folder.package == nil }
    var ending: String? { Predicate.ending(of: item.name.bytes) }

    var path: [UInt8] { folder.path.isEmpty ? item.name.bytes : folder.path + [UInt8(ascii: "/")] + item.name.bytes }

    private var kind: ItemStatus.Kind {
        switch item.kind {
        case .folder: item.isPackage ? .package : .folder
        case .symlink: .symlink
        case .file, .pipe, .socket: .file
        }
    }

    private var contentTypes: [String] {
        ContentType.tree(
            name: item.name.description, isFolder: item.kind == .folder, isPackage: item.isPackage,
            isLink: item.kind == .symlink)
    }

    /// The tags as Linux desktops store them: separated by commas (freedesktop.org, CommonExtendedAttributes).
    private var tags: [String] {
        (item.attributes.extended["user.xdg.tags"] ?? []).split(separator: UInt8(ascii: ",")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func value(of attribute: QueryAttribute) -> QueryValue? {
        switch attribute {
        case .name: .text(item.name.description)
        case .path: .text("\(mountPoint)/\(String(decoding: path, as: UTF8.self))")
        case .container: .text(container.text)
        case .kind: .text(kind.rawValue)
        case .contentType: contentTypes.first.map { .text($0) }
        case .contentTypeTree: .list(contentTypes)
        case .fileExtension:
            .text(String(decoding: item.name.stemAndExtension.extension.dropFirst(), as: UTF8.self))
        case .size: .number(Double(sync.size))
        case .modified: .date(item.attributes.modified.nanoseconds)
        case .created: .date(item.attributes.created.nanoseconds)
        case .tags: .list(tags)
        case .extended(let name): item.attributes.extended[name].map { .text(String(decoding: $0, as: UTF8.self)) }
        default: state(attribute)
        }
    }

    private func state(_ attribute: QueryAttribute) -> QueryValue? {
        switch attribute {
        case .fact(let fact): sync[fact].map(QueryValue.init)
        case .conflictOf: conflictOf.map { .text("\(mountPoint)/\(String(decoding: $0, as: UTF8.self))") }
        case .isUbiquitous: .flag(true)
        case .isExternal, .isShared: .flag(false)
        default: nil
        }
    }

    /// Returns the item in its wire form.
    func found() throws -> FoundItem {
        var details = FoundItem.Details(
            item: item.node.value, path: try MountPath(bytes: path), kind: kind, contentType: contentTypes[0],
            modified: WireTime(item.attributes.modified), created: WireTime(item.attributes.created),
            container: container.text, isInDocuments: isInDocuments)
        details.conflictOf = try conflictOf.map { try MountPath(bytes: $0) }
        details.tags = tags.isEmpty ? nil : tags
        return FoundItem(details, sync.withWholePercentages)
    }
}

extension DocumentState {
    /// The state with percentages rounded down, so that a live query reports at most a hundred changes of each.
    fileprivate var withWholePercentages: DocumentState {
        var state = self
        for case .percentage(let path) in DocumentFact.allCases.map(\.field) { state[keyPath: path].round(.down) }
        return state
    }
}
