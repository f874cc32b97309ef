import Basics
import Chunking
import CloudModel
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Replaces an older content with the log's current one.
extension ContentService {
    /// Downloads the log's current content beside the shown one and swaps it in once it is complete and durable.
    func fetchNewVersion(of item: LocalItem) async throws {
        let context = context
        let wanted = try await context.blocking { () -> (reference: ContentReference, container: ContainerName)? in
            try context.metadata.read { transaction in
                guard let reference = try transaction.cloudItem(item)?.content, try transaction.isStale(item),
                    let container = try transaction.container(item.container)
                else { return nil }
                return (reference, container.name)
            }
        }
        guard let wanted else { return try await context.blocking { try self.clearWanted(item) } }
        // The time gives a name that no other content of this file has had or gets by counting up.
        let unique = UInt64(max(0, context.time.now().nanoseconds))
        let blob = BlobName(node: item.node.value, generation: max(item.generation + 1, unique))
        let file = SharedDescriptor(adopting: try context.content.create(blob))
        try check("ftruncate") { ftruncate(file.raw, off_t(wanted.reference.size)) }
        var options = ContentDownload.Options()
        options.manifest = try storedManifest(of: wanted.reference)
        options.reuse = try reusable(item)
        options.onProgress = { [weak self] _ in self?.noteArrival() }
        options.onReceived = context.figures.counter(for: item.wanted < 100 ? .update : .requested)
        let download = ContentDownload(
            wanted.reference, in: wanted.container, to: file, context: context.transfers, options: options)
        gathered.withLock { $0[item.node] = ActiveDownload(item: item, download: download, file: file, isQueued: true) }
        defer { _ = gathered.withLock { $0.removeValue(forKey: item.node) } }
        try await download.completeAll(patience: context.transfers.patience(context.timing.patience))
        let version = NewVersion(
            reference: wanted.reference, file: file, blob: blob, replaced: item, manifest: download.manifest)
        try await context.blocking { [self] in try installWithPermit(version) }
        noteArrival()
    }

    /// A version with all its bytes in `blob`.
    private struct NewVersion: Sendable {
        let reference: ContentReference
        let file: SharedDescriptor
        let blob: BlobName
        let replaced: LocalItem
        let manifest: Manifest?
    }

    /// Swaps in the version while no program reads or writes the item under a claim, after its presenters have saved.
    /// Waits in the background if necessary.
    private func installWithPermit(_ version: NewVersion) throws {
        if context.permits.areFree {
            do { return try install(version, ifFree: true) } catch is PermitNeeded {}
        }
        switch context.permits.ask(.swap, for: version.replaced.node) {
        case .now(let end):
            defer { end() }
            try install(version)
        case .later(let permit):
            let isWaiting = context.waiting.add(version.replaced.node, permit) { [self] in
                await installLater(version, $0)
            }
            if !isWaiting { try context.content.remove(version.blob) }
        // The next pass over unsettled items requests it again.
        case .refused: try context.content.remove(version.blob)
        }
    }

    private func installLater(_ version: NewVersion, _ end: PermitRelease?) async {
        do {
            try await context.blocking { [self] in
                defer { end?() }
                guard end != nil else { return try context.content.remove(version.blob) }
                context.mounted.noteIdleEdits(pause: .zero)
                try install(version)
            }
        } catch {
            context.log.warning("a newer version could not be swapped in", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the shown version as a source of chunks, to avoid downloading them.
    private func reusable(_ item: LocalItem) throws -> ChunkSource? {
        guard let reference = item.content,
            let manifest = try storedManifest(of: reference) ?? Manifest(within: reference)
        else { return nil }
        return ChunkSource(file: SharedDescriptor(adopting: try context.content.open(item.blob)), manifest: manifest)
    }

    private func install(_ version: NewVersion, ifFree: Bool = false) throws {
        let (reference, blob, item) = (version.reference, version.blob, version.replaced)
        try context.content.syncBytes(of: blob, version.file.raw)
        try context.content.syncName(of: blob)
        let isInstalled = try context.changeTree(ifFree: ifFree) { transaction, effects in
            var follower = LogFollower(context).follower(transaction, item.container)
            let name = try follower.install(reference, blob: blob, replacing: item)
            if let name, name != blob {
                try context.content.rename(blob, to: name)
                try context.content.syncName(of: name)
            }
            let isInstalled = name != nil
            if isInstalled, let manifest = version.manifest, reference.layout == .manifest {
                try transaction.setManifest(manifest.encoded(), for: reference.digest)
            }
            effects = follower.effects
            return isInstalled
        }
        if !isInstalled { try context.content.remove(blob) }
    }

    private func clearWanted(_ item: LocalItem) throws {
        try context.metadata.write { transaction in
            guard var row = try transaction.local.item(item.node) else { return }
            row.wanted = 0
            try transaction.local.update(row)
        }
    }
}
