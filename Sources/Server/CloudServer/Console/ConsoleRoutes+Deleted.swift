import Basics
import CloudModel
import CloudProtocol
import ContainerLog
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// Deleted items, and restoring them. A restore consists of log entries, which devices follow like any device's.
extension ConsoleRoutes {
    func deleted(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        let oldest = service.retention.start(at: service.store.time.now())
        let items = try await view.tree.deletions(since: oldest, limit: FoldedContainer.pageSize).map { deletion in
            DeletedSummary(
                id: deletion.item.id, kind: deletion.item.body.kind, path: deletion.folders + [deletion.item.name],
                size: deletion.item.body.content?.size, inside: deletion.inside, deleted: deletion.time,
                device: deletion.device)
        }
        return visit.frame.deletedPage(
            container, items, limit: FoldedContainer.pageSize, kept: service.retention)
    }

    func restore(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let id = try context.item()
        try await service.trees.append(to: container, of: visit.account) { view in
            let items = try await view.tree.deletedTree(id)
            guard let top = try await view.tree.items(items.prefix(1), limit: 1).first else {
                throw CloudFailure(.notFound, "It is no longer deleted. Reload the list.")
            }
            let name = try await freeName(for: top, in: view.tree)
            return (RestorationBatches(items, named: name, in: view.tree), ())
        }
        service.audit.note("restored in the console", context, account: visit.session.accountName)
        return "c/\(container)/i/\(id)?done=\(Notice.restored.rawValue)"
    }

    /// Restores an earlier version of a document as the current one.
    func restoreVersion(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let (id, version) = (try context.item(), try context.version())
        guard let seen = VersionID(fields["seen"] ?? "") else { throw Self.changed }
        try await service.trees.append(to: container, of: visit.account) { view in
            let item = try await find(id, view)
            guard let former = try await view.tree.version(version, of: item.id) else { throw ServerContext.noItem }
            do {
                let change = try ConsoleAction.restore(
                    former.content, modified: former.modified, of: item, seen: seen)
                return ([[change]], ())
            } catch is ConsoleAction.Outdated { throw Self.changed }
        }
        service.audit.note("version restored in the console", context, account: visit.session.accountName)
        return "c/\(container)/i/\(id)?done=\(Notice.versionRestored.rawValue)"
    }

    private static let changed = CloudFailure(
        .foreign, "The document has changed in the meantime. Reload it, then choose a version.")
}
