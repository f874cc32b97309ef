import CloudModel
import CloudProtocol
import ContainerLog
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// Deleting several items of a folder, and restoring and removing several deleted items, with one form.
extension ConsoleRoutes {
    func confirmDeletionOfChosen(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> HTML {
        try await confirm(visit, fields, context) { container, chosen, view in
            let items = try await deletable(chosen, view)
            var (inside, conflicts) = (0, 0)
            for item in items {
                if item.body.kind == .folder { inside += try await view.tree.descendantCount(of: item.id) }
                conflicts += item.conflicts.count
            }
            var consequences: [HTML] = ["They are deleted on every device, and listed under Recently deleted."]
            if inside > 0 {
                consequences.append(
                    "\(Shown.count(inside, "item")) in them \(inside == 1 ? "is" : "are") deleted with them.")
            }
            if conflicts > 0 { consequences.append("Conflict versions are kept, each as a document of its own.") }
            consequences.append(Self.unsentEdits)
            return visit.frame.confirmPage(
                "Delete the \(Shown.count(items.count, "chosen item"))?", consequences,
                action: "c/\(container)/chosen/delete/confirmed", button: "Delete",
                back: Self.path(of: items[0].parent, container),
                // The person saw the list of the folder, not this page.
                fields: [("seen", try seen(fields).description)] + items.map { ("item", $0.id.description) })
        }
    }

    /// Returns the question about the chosen items of a container whose tree is complete.
    private func confirm(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext,
        _ question: (ContainerName, [ItemID], ContainerTrees.View) async throws -> HTML
    ) async throws -> HTML {
        let container = try context.container()
        let chosen = try chosen(fields)
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        return try await question(container, chosen, view)
    }

    func deleteChosen(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let chosen = try chosen(fields)
        let seen = try seen(fields)
        let parent = try await service.trees.append(to: container, of: visit.account) { view in
            let items = try await deletable(chosen, view)
            let walk = DescendantWalk(through: items.map { StoredDescendant($0) })
            return (DeletionBatches(walk, in: view.tree, seen: seen, resolvesConflicts: false), items[0].parent)
        }
        service.audit.note("deleted in the console", context, account: visit.session.accountName)
        return "\(Self.path(of: parent, container))?done=\(Notice.deleted.rawValue)"
    }

    /// Returns the remaining chosen items, at least one.
    private func deletable(_ chosen: [ItemID], _ view: ContainerTrees.View) async throws -> [CloudItem] {
        var known: Set<ItemID> = []
        var items: [CloudItem] = []
        for id in chosen {
            // It may have been deleted since the page was shown.
            guard let item = try await view.tree.item(id), known.insert(item.id).inserted else { continue }
            guard !item.id.isWellKnown else { throw Self.stays }
            items.append(item)
        }
        guard !items.isEmpty else { throw ServerContext.noItem }
        return items
    }

    func restoreChosen(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let chosen = try chosen(fields)
        try await service.trees.append(to: container, of: visit.account) { view in
            var known: Set<ItemID> = []
            var batches: [RestorationBatches] = []
            var names: [ItemID: Set<ItemName>] = [:]
            for id in chosen {
                // As for removing: all together have the limit of a single folder.
                guard known.count < DeletionBatches.limit else { break }
                let items = try await view.tree.deletedTree(id).filter { known.insert($0).inserted }
                // It may have been restored since the page was shown, or with its folder.
                guard items.first == id, let top = try await view.tree.items([id], limit: 1).first else { continue }
                let name = try await freeName(for: top, besides: names[top.parent] ?? [], in: view.tree)
                names[top.parent, default: []].insert(name)
                batches.append(RestorationBatches(items, named: name, in: view.tree))
            }
            return (ChainedBatches(batches), ())
        }
        service.audit.note("restored in the console", context, account: visit.session.accountName)
        return "c/\(container)/deleted?done=\(Notice.restored.rawValue)"
    }

    func confirmPurgeOfChosen(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> HTML {
        try await confirm(visit, fields, context) { container, chosen, view in
            let sum = try await purge(of: chosen, in: view.tree).sum()
            return visit.frame.confirmPage(
                "Remove the chosen for good?", consequences(sum), action: "c/\(container)/chosen/purge/confirmed",
                button: "Remove for good", back: "c/\(container)/deleted",
                fields: chosen.map { ("item", $0.description) })
        }
    }

    func purgeChosen(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let chosen = try chosen(fields)
        try await service.trees.append(to: container, of: visit.account) { view in
            (try await purge(of: chosen, in: view.tree), ())
        }
        service.audit.note("removed for good in the console", context, account: visit.session.accountName)
        return "c/\(container)/deleted?done=\(Notice.purged.rawValue)"
    }

    private func purge(of chosen: [ItemID], in tree: FoldedContainer) async throws -> PurgeBatches {
        var known: Set<ItemID> = []
        var items: [ItemID] = []
        for id in chosen {
            // All together have the limit of a single folder; items beyond it stay.
            guard items.count < DeletionBatches.limit else { break }
            items += try await tree.deletedTree(id).filter { known.insert($0).inserted }
        }
        return PurgeBatches(.items(items[...]), in: tree)
    }

    /// Returns the chosen items: at most a page of them.
    private func chosen(_ fields: FormBody) throws -> [ItemID] {
        let items = fields.all("item").compactMap { ItemID($0) }
        guard !items.isEmpty else {
            throw CloudFailure(.invalidRequest, "Choose at least one item of the page, then press the button again.")
        }
        guard items.count <= FoldedContainer.pageSize else {
            throw CloudFailure(
                .invalidRequest,
                "At most \(FoldedContainer.pageSize) items can be chosen at a time. Nothing was changed.")
        }
        return items
    }

    /// Returns a name for an item being restored to its former folder: its old name, or a numbered one if that is
    /// taken.
    func freeName(
        for item: CloudItem, besides others: Set<ItemName> = [], in tree: FoldedContainer
    ) async throws -> ItemName {
        let candidates = [item.name] + ConsoleAction.candidates(for: item.name, count: 100 + others.count)
        let taken = try await tree.taken(candidates, in: item.parent).union(others)
        return candidates.first { !taken.contains($0) } ?? item.name
    }
}

/// The batches of several consecutive actions.
private struct ChainedBatches<Batches: ChangeBatches>: ChangeBatches {
    private var rest: ArraySlice<Batches>

    init(_ batches: [Batches]) { rest = batches[...] }

    mutating func next() async throws -> [Change]? {
        while var first = rest.popFirst() {
            if let changes = try await first.next() {
                rest = [first] + rest
                return changes
            }
        }
        return nil
    }
}
