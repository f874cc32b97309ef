import Basics
import CloudModel
import ContainerLog
import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import Synchronization
import VirtualFileSystem

struct DeletedHandler: NounHandler {
    let device: MountedDevice
    let progress: DaemonProgress

    func register(in router: inout CallRouter) {
        router.on(deleted)
        router.on(restoreDeleted)
        router.on(purgeDeleted)
    }

    func purgeDeleted(_ request: PurgeDeletedRequest) async throws -> PurgeDeletedResponse {
        let now = device.engine.context.time.now()
        let oldest = now.adding(.zero - .seconds(Int64(clamping: request.olderThan ?? 0)))
        // To the millisecond, as the client repeats it.
        let until = Timestamp(
            nanoseconds: min(request.until?.timestamp ?? oldest, oldest).nanoseconds / 1_000_000 * 1_000_000)
        let deleted = DeletedItems(device.engine.context)
        let scope = DeletedItems.PurgeScope(
            place: request.path.components.map(Array.init), until: until, items: try await items(of: request))
        let purge: DeletedItems.Purge
        if request.dryRun {
            purge = try await deleted.purgeable(scope)
        } else {
            purge = try await deleted.purge(scope)
            device.engine.askCloud()
        }
        return PurgeDeletedResponse(
            items: purge.items, bytes: purge.bytes, unsent: purge.unsent, until: WireTime(until))
    }

    /// Returns the item to be purged, with all items deleted with it; nil if the request names none.
    private func items(of request: PurgeDeletedRequest) async throws -> Set<ItemID>? {
        guard let id = request.itemID else { return nil }
        return try await blocking { [self] in
            try device.metadata.read { transaction in
                let item = try deletedItem(RestoreDeletedRequest(path: request.path, itemID: id), transaction)
                var items: Set<ItemID> = [item.id]
                try transaction.forEach(deletedWith: item) { inner, _ in items.insert(inner.id) }
                return items
            }
        }
    }

    func deleted(_ request: DeletedRequest) async throws -> DeletedResponse {
        try await blocking { [self] in
            try device.metadata.read { transaction in
                var page = DeletedPage(
                    transaction, below: request.path, since: oldestDeletion, deviceName: configuration.deviceName
                )
                return try page.list(after: request.after, limit: Int(clamping: max(1, min(request.limit ?? 200, 200))))
            }
        }
    }

    func restoreDeleted(_ request: RestoreDeletedRequest) async throws -> RestoreDeletedResponse {
        if let contents = try await restoreContents(request) { return contents }
        let (deleted, place) = try await blocking { [self] in
            try device.metadata.read { transaction in
                let deleted = try deletedItem(request, transaction)
                return (deleted, try request.to.map { try self.place($0, for: deleted, transaction) })
            }
        }
        defer { progress.work.withLock { $0 = nil } }
        let restored = try await DeletedItems(device.engine.context).restore(
            deleted.id, of: deleted.container, into: place?.folder, named: place?.name
        ) { [progress] done, total in
            progress.work.withLock {
                $0 = WorkStatus(what: "restoring", completedItems: done, totalItems: total)
            }
        }
        device.engine.localTreeChanged()
        guard let restored else {
            throw DaemonFailure(
                .notFound, "it can no longer be restored", path: request.path.description,
                advice: "`ubiquity deleted` lists items that can be restored.")
        }
        let found = try await blocking { [self] in try device.metadata.read { try path(of: restored.item, $0) } }
        return RestoreDeletedResponse(path: found, items: restored.count, missing: restored.missing)
    }

    /// Restores an existing folder's deleted contents; nil if the request is about something else, or nothing was
    /// deleted in it.
    private func restoreContents(_ request: RestoreDeletedRequest) async throws -> RestoreDeletedResponse? {
        guard request.itemID == nil, request.to == nil else { return nil }
        let names = request.path.components.map(Array.init)
        let folder = try await blocking { [self] in
            try device.metadata.read { transaction -> LocalItem? in
                guard try transaction.history.deletedItems(at: names).isEmpty else { return nil }
                return try transaction.local.folder(at: names)
            }
        }
        guard let folder else { return nil }
        defer { progress.work.withLock { $0 = nil } }
        let restored = try await DeletedItems(device.engine.context).restoreContents(of: folder) {
            [progress] done, total in
            progress.work.withLock {
                $0 = WorkStatus(what: "restoring", completedItems: done, totalItems: total)
            }
        }
        device.engine.localTreeChanged()
        return restored.map {
            RestoreDeletedResponse(path: request.path, items: $0.count, missing: $0.missing)
        }
    }

    /// Deletions before this time are no longer listed.
    private var oldestDeletion: Timestamp {
        device.engine.context.time.now().adding(.zero - configuration.versions.age)
    }

    private func deletedItem(_ request: RestoreDeletedRequest, _ transaction: MetadataTransaction) throws -> DeletedItem
    {
        let found = try transaction.history.deletedItems(at: request.path.components.map(Array.init)).filter { item in
            request.itemID.map { $0 == item.id.description } ?? true
        }
        if let item = found.first { return item }
        let isThere = (try? item(at: request.path)) != nil
        throw DaemonFailure(
            .notFound, isThere ? "this has not been deleted" : "no item with that path was deleted recently",
            path: request.path.description,
            advice: isThere
                ? "`ubiquity versions` lists its earlier versions."
                : "`ubiquity deleted` lists items that can be restored.")
    }

    /// Resolves an existing folder, or a name in a folder.
    private func place(
        _ path: MountPath, for deleted: DeletedItem, _ transaction: MetadataTransaction
    ) throws -> (folder: NodeID, name: ItemName?) {
        let names = path.components.map(Array.init)
        if let folder = try transaction.local.folder(at: names) { return (try allowed(folder, path, deleted), nil) }
        guard let folder = try transaction.local.folder(at: Array(names.dropLast())), let last = names.last,
            let name = try? ItemName(bytes: last)
        else {
            throw DaemonFailure(
                .notFound, "its folder does not exist", path: path.description, advice: "Create the folder first.")
        }
        return (try allowed(folder, path, deleted), name)
    }

    private func allowed(_ folder: LocalItem, _ path: MountPath, _ deleted: DeletedItem) throws -> NodeID {
        guard folder.container == deleted.container, !folder.isExcluded else {
            throw DaemonFailure(
                .invalidRequest, "a deleted item can be restored only in its own container", path: path.description,
                advice: "Restore it there, then move it.")
        }
        return folder.node
    }
}

/// A page of the list of deletions.
private struct DeletedPage {
    private let transaction: MetadataTransaction
    private let place: [[UInt8]]
    private let oldest: Timestamp
    private let deviceName: String
    /// The remaining number of items inside of folders to count for this page.
    private var budget = 100_000
    /// The maximum number of deletions examined for a page, whether or not they are listed.
    private static let looks = 5_000

    init(_ transaction: MetadataTransaction, below path: MountPath, since oldest: Timestamp, deviceName: String) {
        self.transaction = transaction
        place = path.components.map(Array.init)
        self.oldest = oldest
        self.deviceName = deviceName
    }

    mutating func list(after text: String?, limit: Int) throws -> DeletedResponse {
        var cursor = try text.map(Self.cursor)
        var entries: [DeletedEntry] = []
        var looks = 0
        while entries.count < limit, looks < Self.looks {
            let page = try transaction.history.deletions(since: oldest, after: cursor, limit: 200)
            guard !page.isEmpty else { return DeletedResponse(items: entries, next: nil) }
            for deletion in page where entries.count < limit {
                looks += 1
                cursor = deletion
                if let entry = try entry(deletion) { entries.append(entry) }
            }
        }
        return DeletedResponse(items: entries, next: cursor.map(Self.text))
    }

    private mutating func entry(_ deletion: ItemHistory.DeletionCursor) throws -> DeletedEntry? {
        guard let item = try transaction.history.deletedItem(deletion.item, in: deletion.container),
            let container = try transaction.container(deletion.container),
            let names = try transaction.history.path(ofDeleted: item)
        else { return nil }
        let path = [try ItemName(container.name.folderName)] + names
        guard path.lazy.map(\.bytes).starts(with: place) else { return nil }
        let inside = try count(item)
        return DeletedEntry(
            itemID: item.id.description, path: try MountPath(bytes: Array(path.map(\.bytes).joined(separator: [0x2F]))),
            kind: item.shownKind, deleted: WireTime(deletion.time), device: item.device ?? deviceName,
            size: item.isFolder ? inside?.bytes : item.size, items: item.isFolder ? inside?.items : nil)
    }

    private struct Uncountable: Error {}

    private mutating func count(_ folder: DeletedItem) throws -> (items: UInt64, bytes: UInt64)? {
        var (items, bytes): (UInt64, UInt64) = (0, 0)
        do {
            try transaction.forEach(deletedWith: folder) { item, _ in
                guard budget > 0 else { throw Uncountable() }
                budget -= 1
                items += 1
                bytes = bytes.addingReportingOverflow(item.size).partialValue
            }
        } catch is Uncountable { return nil }
        return (items, bytes)
    }

    private static func text(_ cursor: ItemHistory.DeletionCursor) -> String {
        "\(cursor.time.nanoseconds) \(cursor.container.value) \(cursor.item)"
    }

    private static func cursor(_ text: String) throws -> ItemHistory.DeletionCursor {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let time = Int64(parts[0]), let container = Int64(parts[1]),
            let item = ItemID(String(parts[2]))
        else {
            throw DaemonFailure(.invalidRequest, "this is not a position in the list of deleted items", path: text)
        }
        return .init(time: Timestamp(nanoseconds: time), container: ContainerID(container), item: item)
    }
}

extension DeletedItem {
    fileprivate var shownKind: ItemStatus.Kind {
        switch cloud.body {
        case .folder: PackageTypes.isPackage(name) ? .package : .folder
        case .symlink: .symlink
        case .file: .file
        }
    }
}
