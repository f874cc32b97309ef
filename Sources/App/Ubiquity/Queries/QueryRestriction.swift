import DaemonProtocol
import Foundation

/// A query's restriction not applied by the daemon: to folders, and to given items.
struct QueryRestriction: Sendable {
    private let areas: [FindScope]
    private let folders: [String]
    private let items: Set<String>?

    /// - Parameter scopes: Apple's constants, and folders as URLs or paths; none for everything in containers.
    /// - Parameter items: Earlier results, URLs or paths; nil for no restriction.
    init(scopes: [Any] = [], items: [Any]? = nil) {
        areas = scopes.compactMap { ($0 as? String).flatMap(FindScope.init(constant:)) }
        folders = scopes.compactMap(Self.path)
        self.items = items.map { Set($0.compactMap(Self.path)) }
        asksForAll = scopes.isEmpty || !folders.isEmpty
    }

    private let asksForAll: Bool
    /// The scopes to request from the daemon; nil for all.
    var scopes: [FindScope]? { asksForAll ? nil : areas }
    /// Whether the daemon's results need no further restriction.
    var isPlain: Bool { folders.isEmpty && items == nil }

    func admits(_ found: FoundItem, root: String) -> Bool {
        guard !isPlain else { return true }
        let path = "\(root)/\(found.path)"
        if let items, !items.contains(path) { return false }
        return folders.isEmpty || areas.contains(found.isInDocuments ? .documents : .data)
            || folders.contains { path.hasPrefix("\($0)/") }
    }

    private static func path(_ place: Any) -> String? {
        switch place {
        case let url as URL: ClaimRouter.shared.route(url).path
        case let text as String where text.hasPrefix("/"): ClaimRouter.shared.route(URL(filePath: text)).path
        case let item as NSMetadataItem: item.value(forAttribute: NSMetadataItemPathKey) as? String
        default: nil
        }
    }
}

extension FindScope {
    fileprivate init?(constant: String) {
        switch constant {
        case NSMetadataQueryUbiquitousDocumentsScope: self = .documents
        case NSMetadataQueryUbiquitousDataScope: self = .data
        case NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope: self = .external
        default: return nil
        }
    }
}
