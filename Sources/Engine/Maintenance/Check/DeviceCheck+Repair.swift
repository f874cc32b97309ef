import Basics
import CloudModel
import CloudStorage
import Glibc
import LocalContent
import LocalMetadata
import Sync
import Transfers

/// Repairs on the device itself.
extension DeviceCheck {
    /// Reports bytes that differ from the row, or fetches the correct bytes from the cloud.
    mutating func repair(
        _ item: LocalItem, _ path: [String], _ what: String, _ actual: ContentReference?, mayBeEdit: Bool
    ) async throws {
        guard repairs else {
            return report.found(
                Finding(what, path: path, advice: "Run `ubiquity repair` to download it again from the cloud."))
        }
        if let actual, try await correctRecord(of: item, to: actual) {
            return report.repaired(Finding("its record on this device was damaged and has been corrected", path: path))
        }
        guard try await isInCloud(item) else {
            return report.found(
                Finding(what, path: path, advice: "The cloud has no good copy either; the local bytes were kept."))
        }
        // Bytes possibly written by a program are never discarded.
        let place = mayBeEdit ? try keepCopy(of: item, below: path) : nil
        guard try await fetchAgain(item) else { return }
        let rest = place.map { ", the local bytes are in \($0)" } ?? ""
        report.repaired(Finding("\(what): it is downloaded again from the cloud\(rest)", path: path))
    }

    /// Corrects the row if the bytes match the log.
    private func correctRecord(of item: LocalItem, to actual: ContentReference) async throws -> Bool {
        let context = context
        return try await context.blocking {
            try context.metadata.write { transaction in
                guard try transaction.cloudItem(item)?.content == actual,
                    var row = try transaction.local.item(item.node),
                    row == item
                else { return false }
                row.content = actual
                row.size = actual.size
                try transaction.local.update(row)
                return true
            }
        }
    }

    private func isInCloud(_ item: LocalItem) async throws -> Bool {
        let context = context
        let name = try await context.blocking { try context.metadata.read { try $0.container(item.container)?.name } }
        guard let name, let reference = item.content else { return false }
        var cloud = CloudContent(context.transfers, name)
        do { return try await cloud.badChunks(of: reference).isEmpty } catch is CloudError { return false }
    }

    /// Turns the file into a placeholder with a high-priority download.
    private func fetchAgain(_ item: LocalItem) async throws -> Bool {
        let context = context
        return try await context.blocking {
            try context.changeTree { transaction, effects in
                guard var row = try transaction.local.item(item.node), row == item, !context.mounted.isOpen(item.node)
                else {
                    return false
                }
                row.presence = .none
                row.ranges = []
                row.generation += 1
                row.wanted = max(row.wanted, 100)
                try transaction.local.update(row)
                effects.orphanedBlobs.append(item.blob)
                effects.changedNodes.insert(item.node)
                effects.wantsDownloads = true
                return true
            }
        }
    }

    // MARK: Recovered documents

    private mutating func keepCopy(of item: LocalItem, below path: [String]) throws -> String {
        var tree = try recoveredTree(in: .cloudDocs)
        defer { recovered[.cloudDocs] = tree }
        let above = try context.metadata.read { transaction -> [LocalItem] in
            var folders: [LocalItem] = []
            var parent = item.parent
            while parent != .root, let folder = try transaction.local.item(parent), folders.count < 4096 {
                folders.append(folder)
                parent = folder.parent
            }
            return folders.reversed()
        }
        try tree.add(
            item.blob, of: context.content, context.content.status(item.blob), row: item, below: above)
        note(tree)
        return tree.path
    }

    /// Moves items without a folder to a visible place.
    mutating func rescueStranded() async throws {
        while case let items = try context.metadata.read({ try $0.local.strandedItems(limit: 100) }), !items.isEmpty {
            for item in items {
                let name = try context.metadata.read { try $0.container(item.container)?.name } ?? .cloudDocs
                var tree = try recoveredTree(in: name)
                try tree.adopt(item)
                recovered[name] = tree
                report.repaired(
                    Finding("its folder was missing; it is in \(tree.path) now", path: [item.name.description]))
            }
            for tree in recovered.values { note(tree) }
        }
    }

    private func recoveredTree(in container: ContainerName) throws -> RecoveredTree {
        if let present = recovered[container] { return present }
        let now = context.time.now()
        return try RecoveredTree(
            context.metadata, context.content, in: container, label: "\(context.deviceName) \(dateLabel(now))", now: now
        )
    }

    /// The kernel may have cached a listing of the folder.
    private func note(_ tree: RecoveredTree) {
        var effects = TreeEffects()
        effects.changedNodes = tree.changedNodes
        context.mounted.apply(effects)
    }
}
