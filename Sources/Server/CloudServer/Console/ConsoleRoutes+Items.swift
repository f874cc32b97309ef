import CloudModel
import CloudProtocol
import ContainerLog
import HTTPTypes
import Hummingbird
import ServerConsole
import ServerStorage

/// Pages for containers and their contents.
extension ConsoleRoutes {
    /// The most items visited for the sizes of all folders of a page, each at most twice: some tenths of a second.
    private static let visitedForSizes = 25_000

    func containers(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let use = try await service.store.accounts.use(of: visit.account)
        let page = try request.page()
        let names = try await service.store.logs.containers(of: visit.account)
        let setBack = try await service.store.logs.setBackContainers(of: visit.account)
        var summaries: [ContainerSummary] = []
        // All containers together have a few seconds. Slower logs show their numbers next time.
        let deadline = ContinuousClock.now + .seconds(3)
        for name in names.dropFirst(ListPage.offset(of: page)).prefix(ListPage.size) {
            let patience = max(.zero, deadline - .now)
            let totals = patience > .zero ? try await totals(of: name, visit, patience) : nil
            let counts = totals.map {
                ContainerSummary.Counts(files: $0.files, bytes: $0.bytes, conflicts: $0.conflicts)
            }
            summaries.append(ContainerSummary(name: name, counts: counts, isSetBack: setBack.contains(name)))
        }
        return visit.frame.containersPage(
            summaries, page: ListPage(page, total: names.count), used: use.used, share: use.share)
    }

    /// Returns nil while the log is not read to its end, and for a log unreadable to this release, so the remaining
    /// containers are still shown.
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
                container, path: [], items: [], sizes: [:], page: ListPage(0, total: 0), seen: view.sequence)
        }
        let item = try await find(id, view)
        let path = try await view.tree.path(of: item)
        guard item.body.kind == .folder else {
            return visit.frame.filePage(
                container, path: path, item: item, conflictCount: try await view.tree.conflictCount(of: item.id),
                former: try await former(item, view))
        }
        let page = try request.page()
        let (items, total) = try await view.tree.children(
            of: item.id, from: ListPage.offset(of: page), limit: ListPage.size)
        let sizes = try await view.tree.sizes(
            of: items.filter { $0.body.kind == .folder }.map(\.id), visiting: Self.visitedForSizes
        ).mapValues { ShownFolderSize(bytes: $0.bytes, isComplete: $0.isComplete) }
        return visit.frame.folderPage(
            container, path: path, items: items, sizes: sizes, page: ListPage(page, total: total), seen: view.sequence)
    }

    func conflicts(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        let page = try request.page()
        let (items, total) = try await view.tree.conflicted(from: ListPage.offset(of: page), limit: ListPage.size)
        return visit.frame.conflictsPage(container, items, page: ListPage(page, total: total))
    }

    func storage(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        let totals = try await view.tree.totals()
        let documents = try await view.tree.documents(limit: ListPage.size)
        let report = try await service.store.use(of: visit.account, in: container)
        let use = StorageUse(
            documents: documents.largest.map { ($0.item, $0.size) }, documentCount: documents.count,
            documentBytes: documents.bytes, bytes: totals.bytes, report: report)
        return visit.frame.storagePage(container, use)
    }

    /// Sends the bytes of a version, whether current, in conflict or superseded.
    func content(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> Response {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        let item = try await find(try context.item(), view)
        let version = try context.version()
        guard let content = try await view.tree.content(of: item.id, at: version) else { throw ServerContext.noItem }
        let source = ContentReader(
            store: service.store, budget: service.budget, account: visit.account, container: container, content: content
        )
        let headers: HTTPFields = [
            .cacheControl: "private, no-cache", .contentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        return try await source.answer(request, context, name: item.name, isInline: false, headers: headers)
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
