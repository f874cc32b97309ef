import CloudModel
import CloudProtocol
import ContainerLog
import HTTPTypes
import Hummingbird
import ServerConsole
import ServerStorage

/// The pages that show containers and their contents.
extension ConsoleRoutes {
    private static let pageSize = 200
    private static let listLimit = 500

    func containers(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let account = try await service.store.accounts.list().first { $0.name == visit.session.accountName }
        var summaries: [ContainerSummary] = []
        // All containers together have a few seconds. One whose log takes longer shows its numbers next time.
        let deadline = ContinuousClock.now + .seconds(3)
        for name in try await service.store.logs.containers(of: visit.account) {
            let patience = max(.zero, deadline - .now)
            let totals = patience > .zero ? try await totals(of: name, visit, patience) : nil
            let counts = totals.map {
                ContainerSummary.Counts(files: $0.files, bytes: $0.bytes, conflicts: $0.conflicts)
            }
            summaries.append(ContainerSummary(name: name, counts: counts))
        }
        return visit.frame.containersPage(summaries, used: account?.used ?? 0, share: account?.quota)
    }

    /// Returns nil while the log is not read to its end, and for a log that this release cannot read, so that the other containers are
    /// still shown.
    private func totals(
        of name: ContainerName, _ visit: ConsoleService.Visit, _ patience: Duration
    ) async throws -> ContainerTotals? {
        do {
            let view = try await service.trees.view(of: name, of: visit.account, patience: patience)
            return view.isComplete ? try await view.tree.totals() : nil
        } catch let error as StorageError {
            guard error.code == .tooNew else { throw error }
            return nil
        }
    }

    /// Shows a folder, file or symlink; without an item the container's root.
    func item(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        let id = try context.item()
        if id == .root, view.sequence == .zero {
            return visit.frame.folderPage(
                container, path: [], part: FolderPart(items: [], total: 0, page: 0, pageSize: Self.pageSize))
        }
        let item = try await find(id, view)
        let path = try await view.tree.path(of: item)
        guard item.body.kind == .folder else {
            return visit.frame.filePage(container, path: path, item: item, former: try await former(item, view))
        }
        let page = Int(min(1 << 20, try request.number("page") ?? 0))
        let (items, total) = try await view.tree.children(of: item.id, from: page * Self.pageSize, limit: Self.pageSize)
        let part = FolderPart(items: items, total: total, page: page, pageSize: Self.pageSize)
        return visit.frame.folderPage(container, path: path, part: part)
    }

    func conflicts(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        return visit.frame.conflictsPage(container, try await view.tree.conflicted(limit: Self.listLimit))
    }

    func storage(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        let totals = try await view.tree.totals()
        let documents = try await view.tree.documents(limit: Self.pageSize)
        let stored = try await service.store.logs.storedBytes(of: container, account: visit.account)
        let use = StorageUse(
            documents: documents.largest.map { ($0.item, $0.size) }, documentCount: documents.count,
            documentBytes: documents.bytes, bytes: totals.bytes, chunkBytes: stored.chunks, logBytes: stored.log)
        return visit.frame.storagePage(container, use)
    }

    /// Sends the bytes of a version, whether current, in conflict or superseded.
    func content(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> Response {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        let item = try await find(try context.item(), view)
        let version = try context.version()
        guard let content = try await content(version, of: item, view) else { throw ServerContext.noItem }
        let source = ContentReader(
            store: service.store, budget: service.budget, account: visit.account, container: container, content: content
        )
        let headers: HTTPFields = [
            .cacheControl: "private, no-cache", .contentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        return try await source.answer(request, context, name: item.name, isInline: false, headers: headers)
    }

    private func content(
        _ version: VersionID, of item: CloudItem, _ view: ContainerTrees.View
    ) async throws -> ContentReference? {
        if item.version == version { return item.body.content?.reference }
        if let conflict = item.conflicts.first(where: { $0.version == version }) { return conflict.content.reference }
        return try await view.tree.versions(of: item.id, limit: Self.listLimit).first { $0.version == version }?.content
    }

    private func former(_ item: CloudItem, _ view: ContainerTrees.View) async throws -> [FormerVersion] {
        let shown = Set([item.version] + item.conflicts.map(\.version))
        return try await view.tree.versions(of: item.id, limit: 50).filter { !shown.contains($0.version) }.map {
            FormerVersion(
                version: $0.version, size: $0.content.size, modified: $0.modified, authorName: $0.authorName)
        }
    }

    func find(_ id: ItemID, _ view: ContainerTrees.View) async throws -> CloudItem {
        guard let item = try await view.tree.item(id) else { throw ServerContext.noItem }
        return item
    }

    func reading(
        _ visit: ConsoleService.Visit, _ container: ContainerName, _ view: ContainerTrees.View
    ) -> HTML {
        visit.frame.readingPage(container, done: view.sequence.value, of: view.end.value)
    }
}
