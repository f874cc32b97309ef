import CloudModel
import CloudProtocol
import ContainerLog
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// Permanently removing deleted items, singly or all.
extension ConsoleRoutes {
    func confirmPurge(
        _ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext
    ) async throws -> HTML {
        let container = try context.container()
        let id = try context.item()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        guard let item = try await view.tree.items([id], limit: 1).first, item.isDeleted else { throw Self.notDeleted }
        let batches = try await purge(of: id, in: view.tree)
        return visit.frame.confirmPage(
            "Remove “\(Shown.text(item.name))” for good?", consequences(try await batches.sum()),
            action: "c/\(container)/i/\(id)/purge", button: "Remove for good", back: "c/\(container)/deleted")
    }

    func purge(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let id = try context.item()
        try await service.trees.append(to: container, of: visit.account) { view in
            (try await purge(of: id, in: view.tree), ())
        }
        service.audit.note("removed for good in the console", context, account: visit.session.accountName)
        return "c/\(container)/deleted?done=\(Notice.purged.rawValue)"
    }

    func confirmPurgeOfAll(
        _ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext
    ) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        let batches = PurgeBatches(.all(seen: view.sequence, after: nil), in: view.tree)
        return visit.frame.confirmPage(
            "Empty the recently deleted of \(container.text)?", consequences(try await batches.sum()),
            action: "c/\(container)/deleted/purge", button: "Remove all for good", back: "c/\(container)/deleted",
            fields: [("seen", view.sequence.description)])
    }

    func purgeAll(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let seen = try seen(fields)
        try await service.trees.append(to: container, of: visit.account) { view in
            (PurgeBatches(.all(seen: seen, after: nil), in: view.tree), ())
        }
        service.audit.note("removed for good in the console", context, account: visit.session.accountName)
        return "c/\(container)/deleted?done=\(Notice.purged.rawValue)"
    }

    func purge(of id: ItemID, in tree: FoldedContainer) async throws -> PurgeBatches {
        let items = try await tree.deletedTree(id)
        guard !items.isEmpty else { throw Self.notDeleted }
        return PurgeBatches(.items(items[...]), in: tree)
    }

    func consequences(_ sum: (items: Int, bytes: UInt64)) -> [HTML] {
        [
            """
            \(Shown.count(sum.items, "deleted item")) with all earlier versions, \(Shown.size(sum.bytes)), can no longer be restored on any \
            device.
            """,
            "What no other document, version or link needs is freed immediately.",
            "A document that a device has edited since, even without the network, comes back with that edit.",
        ]
    }

    private static let notDeleted = CloudFailure(.notFound, "It is no longer deleted. Reload the list.")
}
