import CloudModel
import CloudProtocol
import ContainerLog
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// Changes to a container's contents. Every change is a log entry, which devices follow like any device's.
extension ConsoleRoutes {
    func confirmDeletion(
        _ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext
    ) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        let item = try await find(try context.item(), view)
        guard !item.id.isWellKnown else { throw Self.stays }
        var consequences: [HTML] = ["It is deleted on every device."]
        if item.body.kind == .folder {
            let count = try await view.tree.descendantCount(of: item.id)
            consequences.append("\(Shown.count(count, "item")) in it \(count == 1 ? "is" : "are") deleted with it.")
        }
        if !item.conflicts.isEmpty {
            consequences.append("Its conflict versions are kept, each as a document of its own.")
        }
        consequences.append(Self.unsentEdits)
        let path = "c/\(container)/i/\(item.id)"
        return visit.frame.confirmPage(
            "Delete “\(Shown.text(item.name))”?", consequences, action: "\(path)/delete", button: "Delete", back: path,
            fields: [("seen", view.sequence.description)])
    }

    func delete(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let id = try context.item()
        let seen = try seen(fields)
        let parent = try await service.trees.append(to: container, of: visit.account) { view in
            let item = try await find(id, view)
            guard !item.id.isWellKnown else { throw Self.stays }
            let batches = DeletionBatches(
                DescendantWalk(through: [StoredDescendant(item)]), in: view.tree, seen: seen, resolvesConflicts: false)
            return (batches, item.parent)
        }
        service.audit.note("deleted in the console", context, account: visit.session.accountName)
        return "\(Self.path(of: parent, container))?done=\(Notice.deleted.rawValue)"
    }

    /// Returns the path of a folder's page, below the console's first page.
    static func path(of folder: ItemID, _ container: ContainerName) -> String {
        folder == .root ? "c/\(container)" : "c/\(container)/i/\(folder)"
    }

    func resolve(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        let id = try context.item()
        guard let choice = ConsoleAction.Choice(fields["keep"] ?? "") else {
            throw CloudFailure(.invalidRequest, "Choose which version to keep.")
        }
        let seen = (fields["seen"] ?? "").split(separator: " ").compactMap { VersionID(String($0)) }
        try await service.trees.append(to: container, of: visit.account) { view in
            let item = try await find(id, view)
            let candidates = ConsoleAction.candidates(for: item.name, count: item.conflicts.count + 100)
            let taken = try await view.tree.taken(candidates, in: item.parent)
            let names = candidates.filter { !taken.contains($0) }
            do {
                let changes = try ConsoleAction.resolve(
                    item, keep: choice, seen: seen, names: names, newID: { ItemID.random() })
                return ([changes], ())
            } catch is ConsoleAction.Outdated {
                throw CloudFailure(.foreign, "The document has changed in the meantime. Reload it, then choose.")
            }
        }
        return "c/\(container)/i/\(id)?done=\(Notice.resolved.rawValue)"
    }

    func confirmEmptying(
        _ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext
    ) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        guard view.isComplete else { return reading(visit, container, view) }
        let totals = try await view.tree.totals()
        let consequences: [HTML] = [
            "Everything in this container is deleted, on every device: \(Shown.count(totals.files, "file")), \(Shown.size(totals.bytes)).",
            "The container itself stays, empty.",
            Self.unsentEdits,
        ]
        return visit.frame.confirmPage(
            "Reset \(container.text)?", consequences, action: "c/\(container)/reset", button: "Delete everything",
            back: "c/\(container)", word: container.text, fields: [("seen", view.sequence.description)])
    }

    func empty(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let container = try context.container()
        guard fields["word"] == container.text else {
            throw CloudFailure(.invalidRequest, "The name does not match the container's. Nothing was deleted.")
        }
        let seen = try seen(fields)
        try await service.trees.append(to: container, of: visit.account) { view in
            let batches = DeletionBatches(
                DescendantWalk(below: .root), in: view.tree, seen: seen, resolvesConflicts: true)
            return (batches, ())
        }
        service.audit.note("container reset in the console", context, account: visit.session.accountName)
        return "c/\(container)?done=\(Notice.reset.rawValue)"
    }

    /// Returns the log position up to which the person saw the items to be deleted.
    func seen(_ fields: FormBody) throws -> LogSequence {
        guard let number = UInt64(fields["seen"] ?? "") else {
            throw CloudFailure(.invalidRequest, "The form is incomplete. Go back and try again.")
        }
        return LogSequence(number)
    }

    static let unsentEdits: HTML = "Edits that a device has not uploaded yet come back when it uploads them."

    static let stays = CloudFailure(
        .invalidRequest, "The container's own folders cannot be deleted; reset the container to empty it.")
}
