import DaemonProtocol
import Foundation

/// Where a query looks beyond what the daemon is asked for: in folders, and among items that it is restricted to.
struct QueryRestriction: Sendable {
    private let areas: [FindScope]
    private let folders: [String]
    private let items: Set<String>?

    /// - Parameter scopes: Constants of Apple's, and folders as URLs or paths; none for everything in containers.
    /// - Parameter items: What was found before, URLs or paths; nil for no restriction.
    init(scopes: [Any] = [], items: [Any]? = nil) {
        areas = scopes.compactMap { ($0 as? String).flatMap(FindScope.init(constant:)) }
        folders = scopes.compactMap(Self.path)
        self.items = items.map { Set($0.compactMap(Self.path)) }
        asksForAll = scopes.isEmpty || !folders.isEmpty
    }

    private let asksForAll: Bool
    /// What the daemon is asked for; nil for all.
    var scopes: [FindScope]? { asksForAll ? nil : areas }
    /// Whether the daemon's answer is all that there is to say.
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
