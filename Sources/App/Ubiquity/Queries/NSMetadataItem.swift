import Basics
import CloudModel
import DaemonProtocol
public import Foundation
import Queries
import Synchronization

/// An item found by a query. Its values are those of the time when it was reported; while the query runs, the same
/// object receives newer values.
///
/// Apple's name: `NSMetadataItem`.
// Mutable state is behind a Mutex.
open class NSMetadataItem: NSObject, @unchecked Sendable {
    private let state: Mutex<FoundItem>
    let root: String

    init(_ item: FoundItem, root: String) {
        state = Mutex(item)
        self.root = root
    }

    /// Creates an item with the current values of the item at a URL in a mount, requested from the daemon. Returns nil
    /// if there is none, or for a part of a package.
    public convenience init?(url: URL) {
        let route = ClaimRouter.shared.route(url)
        guard let mount = route.mount, let found = mount.item(at: route.path) else { return nil }
        self.init(found, root: mount.root)
    }

    var found: FoundItem { state.withLock { $0 } }

    func update(_ item: FoundItem) { state.withLock { $0 = item } }

    private var url: URL {
        let found = found
        return URL(
            filePath: "\(root)/\(found.path)",
            directoryHint: found.kind == .folder || found.kind == .package ? .isDirectory : .notDirectory)
    }

    /// Returns the value of an attribute (`NSMetadataItemFSNameKey` and the like, or the short names of docs/QUERIES.md); nil if it has
    /// none.
    open func value(forAttribute key: String) -> Any? {
        if key == NSMetadataItemURLKey || key == NSMetadataUbiquitousItemURLInLocalContainerKey { return url }
        guard let attribute = QueryAttribute(name: key) else { return nil }
        if attribute == .fact(.downloadingStatus) {
            // The long form of Apple's constants; predicates know both spellings.
            let status = found.downloading.rawValue
            let word: String = status.prefix(1).uppercased() + status.dropFirst()
            return "NSMetadataUbiquitousItemDownloadingStatus\(word)"
        }
        switch FoundSubject(found, root: root).value(of: attribute) {
        case .text(let text):
            if case .fact(let fact) = attribute, fact.kind == .error {
                return CoordinationFailure.error(.ubiquitousFileUnavailable, text, at: url)
            }
            return text
        case .number(let number): return NSNumber(value: number)
        case .flag(let flag): return NSNumber(value: flag)
        case .date(let time): return Date(timeIntervalSince1970: Double(time) / 1e9)
        case .list(let texts): return texts
        case nil: return nil
        }
    }

    open func values(forAttributes keys: [String]) -> [String: Any]? {
        Dictionary(keys.compactMap { key in value(forAttribute: key).map { (key, $0) } }) { first, _ in first }
    }

    /// The names of attributes with a value.
    open var attributes: [String] { QueryAttribute.allNames.filter { value(forAttribute: $0) != nil } }

    open override var description: String { "<NSMetadataItem \(url.path)>" }
}

/// A wire-protocol item as predicates see it.
struct FoundSubject: QuerySubject {
    private let item: FoundItem
    private let root: String

    init(_ item: FoundItem, root: String) {
        self.item = item
        self.root = root
    }

    private var name: String { String(decoding: item.path.components.last ?? [], as: UTF8.self) }

    func value(of attribute: QueryAttribute) -> QueryValue? {
        switch attribute {
        case .name: .text(name)
        case .path: .text("\(root)/\(item.path)")
        case .container: .text(item.container)
        case .kind: .text(item.kind.rawValue)
        case .contentType: .text(item.contentType)
        case .contentTypeTree:
            .list(
                ContentType.tree(
                    name: name, isFolder: item.kind == .folder, isPackage: item.kind == .package,
                    isLink: item.kind == .symlink))
        case .fileExtension: .text((name as NSString).pathExtension)
        case .size: .number(Double(item.size))
        case .modified: .date(item.modified.timestamp.nanoseconds)
        case .created: .date(item.created.timestamp.nanoseconds)
        case .tags: .list(item.tags ?? [])
        case .extended: nil
        default: state(attribute)
        }
    }

    private func state(_ attribute: QueryAttribute) -> QueryValue? {
        switch attribute {
        case .fact(let fact): item.state[fact].map(QueryValue.init)
        case .conflictOf: item.conflictOf.map { .text("\(root)/\($0)") }
        case .isUbiquitous: .flag(true)
        case .isExternal, .isShared: .flag(false)
        default: nil
        }
    }
}
