import Basics
import Chunking
import CloudModel
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Uploads edited files, small files in groups and large files beside them, and records the reference of each content.
/// The ``Outbox`` appends to the log.
final class UploadService: Sendable {
    private let context: EngineContext
    private let uploader: ContentUploader
    private let room: CloudRoom
    private let running = RankedMutex<[NodeID: Progress]>(.leaf, [:])
    /// Rung after the upload of a file with a delayed permit.
    private let uploaded: Wakeup
    /// Whether the last file could not be opened because the process has no descriptors left.
    private let isShortOfDescriptors = Atomic(false)

    struct Progress: Sendable {
        let item: LocalItem
        var bytes: UInt64
    }

    /// The queues of uploads, so that a large video does not delay a note.
    enum Lane: String, CaseIterable {
        case small
        case large

        var sizes: ClosedRange<UInt64> {
            switch self {
            case .small: 0...(32 << 20)
            case .large: (32 << 20) + 1...UInt64(Int64.max)
            }
        }

        var groupFiles: Int { self == .small ? 512 : 1 }
    }

    /// Files up to this size share a query to the cloud and a wait.
    private static let smallFile: UInt64 = 4 << 20
    private static let groupBytes: UInt64 = 64 << 20

    init(_ context: EngineContext, uploaded: Wakeup) {
        self.context = context
        self.uploaded = uploaded
        uploader = ContentUploader(context.transfers)
        room = CloudRoom(context, uploader)
    }

    var all: [Progress] { running.withLock { Array($0.values) } }

    func progress(of node: NodeID) -> Double? {
        running.withLock { $0[node] }.map { $0.item.size == 0 ? 0 : Double($0.bytes) / Double($0.item.size) }
    }

    /// Uploads settled files. Returns whether anything reached the cloud; false on a metered network, where uploads wait. Throws the
    /// cloud's error when it failed for all.
    func uploadDue(_ lane: Lane) async throws -> Bool {
        guard context.metered.admits(transfer) else {
            log.debug("uploads wait: the network is metered")
            return false
        }
        let due = context.time.now().adding(.zero - context.settle)
        let items = try await context.blocking { [context] in
            try context.metadata.read {
                try $0.transfers.uploadable(before: due, sizes: lane.sizes, limit: lane.groupFiles)
            }
        }
        let free = items.filter { !context.waiting.contains($0.node) }
        let startable = running.withLock { running in free.filter { running[$0.node] == nil } }
        let fresh = try await context.blocking { [self] in try withoutLoops(withoutOpenDatabases(startable)) }
        guard !fresh.isEmpty else { return false }
        var isAnyDone = false
        for (container, group) in Dictionary(grouping: fresh, by: \.container).sorted(by: { $0.key < $1.key }) {
            guard
                let name = try await context.blocking({ [context] in
                    try context.metadata.read { try $0.container(container)?.name }
                })
            else { continue }
            for part in Self.parts(group) {
                if try await upload(part, to: name) { isAnyDone = true }
            }
        }
        return isAnyDone
    }

    private var log: Logger { context.transferLog }

    private var transfer: MeteredRule.Transfer { .upload(isUrgent: context.urgency.isUrgent) }

    /// Returns the items without databases that a program has open; their status says so.
    private func withoutOpenDatabases(_ items: [LocalItem]) throws -> [LocalItem] {
        let open = try OpenDatabases(context: context).among(items)
        guard !open.isEmpty else { return items }
        for item in open where item.uploadError != OpenDatabases.message {
            log.notice("an upload waits: a program has the database open", metadata: ["node": "\(item.node)"])
            fail(item, OpenDatabases.message)
        }
        let nodes = Set(open.map(\.node))
        return items.filter { !nodes.contains($0.node) }
    }

    /// Returns the items with uploads not delayed by a rewrite loop with a different device. Nothing is delayed while a
    /// user waits for it.
    private func withoutLoops(_ items: [LocalItem]) throws -> [LocalItem] {
        let admitted = try context.loops.admit(
            items, of: context.device, at: context.time.now(), context.metadata)
        if admitted.count < items.count {
            let nodes = Set(admitted.map(\.node))
            for item in items where !nodes.contains(item.node) {
                log.debug("an upload waits: another device rewrites the document in response", metadata: item.logged)
            }
        }
        return context.urgency.isUrgent ? items : admitted
    }

    /// Splits items into groups of bounded size; a large file is a separate group.
    private static func parts(_ items: [LocalItem]) -> [[LocalItem]] {
        var parts: [[LocalItem]] = []
        var current: [LocalItem] = []
        var bytes: UInt64 = 0
        for item in items.sorted(by: { $0.size < $1.size }) {
            if !current.isEmpty, bytes.saturatingSum(item.size) > groupBytes || item.size > smallFile {
                parts.append(current)
                (current, bytes) = ([], 0)
            }
            current.append(item)
            bytes = bytes.saturatingSum(item.size)
        }
        return current.isEmpty ? parts : parts + [current]
    }

    private func upload(_ items: [LocalItem], to container: ContainerName) async throws -> Bool {
        let candidates = try await context.blocking { [self] in items.compactMap { withPermit($0, to: container) } }
        return try await upload(candidates, to: container)
    }

    private func upload(_ candidates: [UploadCandidate], to container: ContainerName) async throws -> Bool {
        guard !candidates.isEmpty else { return false }
        running.withLock { running in
            for candidate in candidates { running[candidate.item.node] = Progress(item: candidate.item, bytes: 0) }
        }
        defer { running.withLock { running in for candidate in candidates { running[candidate.item.node] = nil } } }
        let results = try await context.metered.perform(transfer) { [self] in
            let items = candidates.map(uploadItem)
            // A large document is a separate group.
            if candidates.count == 1, let refusal = try await room.refusal(of: candidates[0], items[0], in: container) {
                log.debug(
                    "no upload: there is no room", metadata: candidates[0].item.logged + ["why": "\(refusal.message)"])
                return [Result<UploadResult, TransferError>.failure(refusal)]
            }
            return try await uploader.upload(items, to: container)
        }
        guard let results else { return false }
        return try await context.blocking { [self] in try note(zip(candidates, results)) }
    }

    /// Returns the state of a file while no program writes it under a claim; a later write voids the upload. So the
    /// permit ends once the state is read, and no writer waits for the network. Returns nil if a program holds the file
    /// or has to save first: the upload then waits for its permit separately.
    private func withPermit(_ item: LocalItem, to container: ContainerName) -> UploadCandidate? {
        if context.permits.areFree { return candidate(item) }
        switch context.permits.ask(.upload, for: item.node) {
        case .now(let end):
            defer { end() }
            return candidate(item)
        case .later(let permit):
            log.debug("an upload waits: a program writes the document, or saves it first", metadata: item.logged)
            context.waiting.add(item.node, permit) { [self] in await uploadWithPermit(item, to: container, $0) }
            return nil
        case .refused:
            log.debug("no upload: a program of this device refuses it", metadata: item.logged)
            return nil
        }
    }

    /// Uploads a file once its permit is granted; if it is not, the next round requests it again.
    private func uploadWithPermit(_ item: LocalItem, to container: ContainerName, _ end: PermitRelease?) async {
        guard let end else { return }
        do {
            let found = try await context.blocking { [self] in
                defer { end() }
                return try saved(item).flatMap { candidate($0) }
            }
            guard let found, try await upload([found], to: container) else { return }
            uploaded.ring()
        } catch {
            context.log.debug("an upload whose permit came later failed", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the item with the changes just saved by its presenters; nil if there is nothing left to upload.
    private func saved(_ item: LocalItem) throws -> LocalItem? {
        context.mounted.noteIdleEdits(pause: .zero)
        let present = try context.metadata.read { try $0.local.item(item.item, in: item.container) }
        guard let present, present.isEdited, !present.isExcluded,
            try !context.metadata.read({ try $0.local.isPaused(present) })
        else { return nil }
        return present
    }

    private func candidate(_ item: LocalItem) -> UploadCandidate? {
        do {
            let candidate = try UploadCandidate(item, in: context.content)
            isShortOfDescriptors.store(false, ordering: .relaxed)
            return candidate
        } catch {
            let details: Logger.Metadata = ["node": "\(item.node)", "error": "\(error)"]
            // An unreadable row is retried in the next round.
            guard let row = try? context.metadata.read({ try $0.local.item(item.node) }), row.blob == item.blob else {
                context.log.debug("a file was removed before its upload began", metadata: details)
                return nil
            }
            if let error = error as? Errno, [EMFILE, ENFILE].contains(error.code) {
                // Temporary, and unrelated to the file. A single line suffices for all of them.
                if !isShortOfDescriptors.exchange(true, ordering: .relaxed) {
                    context.log.warning("uploads wait for free descriptors", metadata: details)
                }
                return nil
            }
            // The bytes are already recorded as lost.
            if row.uploadError != nil, (error as? Errno)?.code == ENOENT { return nil }
            context.log.error("the bytes of an edited file cannot be read", metadata: details)
            fail(item, "Its bytes on this device cannot be read: \(error).")
            return nil
        }
    }

    private func uploadItem(_ candidate: UploadCandidate) -> UploadItem {
        let content = context.content
        let blob = candidate.item.blob
        return UploadItem(
            size: candidate.status.size,
            open: { SharedDescriptor(adopting: try content.open(blob)) },
            stillUnchanged: { (try? content.status(blob)) == candidate.status },
            progress: { [self] bytes in running.withLock { $0[candidate.item.node]?.bytes = bytes } })
    }

    private func note(
        _ results: Zip2Sequence<[UploadCandidate], [Result<UploadResult, TransferError>]>
    ) throws -> Bool {
        var isAnyDone = false
        var cloudError: TransferError?
        // A "clean" row could survive a power failure without its bytes.
        let durable = try makeDurable(results.compactMap { (try? $0.1.get()) == nil ? nil : $0.0.item.blob })
        try context.metadata.write(.uploading) { transaction in
            for (candidate, result) in results {
                note(result, of: candidate.item)
                switch result {
                case .success(let upload) where !candidate.isIntact(upload.reference):
                    try setError(Self.damage, of: candidate.item, transaction)
                case .success where !durable.contains(candidate.item.blob):
                    try setError(
                        "The disk failed to store its bytes; they will be written again.", of: candidate.item,
                        transaction)
                case .success(let upload):
                    if try candidate.note(upload.reference, in: context.content, transaction) {
                        try keep(upload, transaction)
                        isAnyDone = true
                    }
                case .failure(let error) where error.code == .changedWhileReading: break
                case .failure(let error) where error.code == .localFile:
                    try setError(error.description, of: candidate.item, transaction)
                case .failure(let error):
                    try setError(error.message, of: candidate.item, transaction)
                    cloudError = error
                }
            }
        }
        if !isAnyDone, let cloudError { throw cloudError }
        return isAnyDone
    }

    private func note(_ result: Result<UploadResult, TransferError>, of item: LocalItem) {
        switch result {
        case .success(let upload):
            log.debug("uploaded", metadata: item.logged + ["bytes": "\(upload.reference.size)"])
        case .failure(let error) where error.code == .changedWhileReading:
            log.debug("an upload is void: the document changed meanwhile", metadata: item.logged)
        case .failure(let error):
            log.debug("an upload failed", metadata: item.logged + ["why": "\(error)"])
        }
    }

    private static let damage =
        "Its bytes on this device were corrupted while it waited for the upload: the disk may be failing. "
        + "Check it, and save it again to upload it as it is; or restore it from a backup."

    /// Makes blobs durable. Returns the durable ones: a blob with a failed sync is left out until it is rewritten.
    private func makeDurable(_ all: [BlobName]) throws -> Set<BlobName> {
        let blobs = all.filter { !context.content.needsRenewal($0) }
        // From this number on, a single flush of the file system is cheaper than flushing each file.
        if blobs.count < 8 {
            for blob in blobs { try context.content.sync(blob) }
        } else {
            try context.content.syncAll(blobs)
        }
        return Set(blobs)
    }

    /// Stores the manifest of the local content, so that reading it again after an eviction fetches chunks only.
    private func keep(_ upload: UploadResult, _ transaction: MetadataTransaction) throws {
        guard upload.reference.layout == .manifest else { return }
        try transaction.setManifest(upload.manifest.encoded(), for: upload.reference.digest)
    }

    private func setError(_ message: String, of item: LocalItem, _ transaction: MetadataTransaction) throws {
        guard var row = try transaction.local.item(item.node), row.uploadError != message else { return }
        row.uploadError = message
        try transaction.local.update(row)
    }

    private func fail(_ item: LocalItem, _ message: String) {
        do { try context.metadata.write(.uploading) { try setError(message, of: item, $0) } } catch {
            context.log.error("could not note an error", metadata: ["error": "\(error)"])
        }
    }
}
