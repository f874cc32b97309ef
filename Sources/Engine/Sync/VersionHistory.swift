import Basics
package import CloudModel
import Glibc
import LocalContent
package import LocalMetadata
package import Transfers

/// Why a version could not be fetched or restored.
package struct VersionError: Error, Sendable {
    package enum Code: Sendable {
        /// No such version exists, or its bytes are no longer in the cloud.
        case notFound
        /// The current content is not in the cloud, so it could not be restored later.
        case notUploaded
        /// A program holds the document or has it open to write.
        case busy
        case offline, failed
    }

    package let code: Code
    /// The error and the advice, in whole sentences.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

/// The history of documents. Former contents are in the log, and their bytes in the cloud; a device stores only enough
/// to find them.
package struct VersionHistory: Sendable {
    let context: EngineContext
    /// The number of checks whether the current content has reached the cloud.
    private static let looks = 600
    private static let pause = Duration.milliseconds(50)

    package init(_ context: EngineContext) { self.context = context }

    // MARK: Reading

    /// Writes a content's bytes to a file, which must be empty.
    package func fetch(_ content: ContentReference, of container: ContainerName, to file: SharedDescriptor) async throws
    {
        guard content.size > 0 else { return }
        try check("ftruncate") { ftruncate(file.raw, off_t(content.size)) }
        var options = ContentDownload.Options()
        options.onReceived = context.figures.counter(for: .requested)
        let download = ContentDownload(content, in: container, to: file, context: context.transfers, options: options)
        let patience = context.transfers.patience(context.timing.patience)
        do { try await download.completeAll(patience: patience) } catch let error as TransferError {
            throw VersionError(error)
        }
    }

    // MARK: Restoring

    /// Restores a version as the document's current content: an edit like any other, so the previous content becomes a
    /// version itself. Returns once it is current on this device; it is sent to the cloud next.
    package func restore(_ version: HistoricVersion, of id: ItemID) async throws {
        context.urgency.begin()
        defer { context.urgency.end() }
        // Presenters may save when asked; that save is uploaded too, before it is replaced.
        for _ in 0..<4 {
            let item = try await settledItem(id, version.container)
            guard item.content != version.content else { return }
            if try await replace(item, by: version) { return }
        }
        throw VersionError(
            code: .busy, message: "A program keeps writing the document. Close it there, then restore the version.")
    }

    /// Returns the item once its shown state is in the log.
    private func settledItem(_ id: ItemID, _ container: ContainerID) async throws -> LocalItem {
        for look in 0... {
            let item = try await context.blocking { [context] in
                context.mounted.noteIdleEdits(pause: .zero)
                return try context.metadata.read { try $0.local.item(id, in: container) }
            }
            guard let item else {
                throw VersionError(code: .notFound, message: "The document was deleted. Restore the version to a file.")
            }
            if item.pendingSince == nil, !item.isEdited, !item.isWriting, item.isKnown { return item }
            let isPaused = try await context.blocking { [context] in
                try context.metadata.read { try $0.local.isPaused(item) }
            }
            guard !item.isExcluded, !isPaused, look < Self.looks else { throw Self.notUploaded(item) }
            try await context.clock.sleep(for: Self.pause)
        }
        throw CancellationError()
    }

    private static func notUploaded(_ item: LocalItem) -> VersionError {
        if item.isWriting, !item.isEdited {
            return VersionError(
                code: .busy, message: "A program has the document open to write. Close it, then restore the version.")
        }
        return VersionError(
            code: .notUploaded,
            message: "The present content of the document is not in the cloud, and would be lost. "
                + "Try again when `ubiquity status` says uploaded.")
    }

    /// Replaces the content. Returns false if the item changed in the meantime.
    private func replace(_ item: LocalItem, by version: HistoricVersion) async throws -> Bool {
        let name = try await context.blocking { [context] in
            try context.metadata.read { try $0.container(item.container)?.name }
        }
        guard let name else { return false }
        let unique = UInt64(max(0, context.time.now().nanoseconds))
        let blob = BlobName(node: item.node.value, generation: max(item.generation + 1, unique))
        let file = SharedDescriptor(
            adopting: try await context.blocking { [context] in try context.content.create(blob) })
        var isInstalled = false
        do {
            try await fetch(version.content, of: name, to: file)
            isInstalled = try await withPermit(item) { try install(version, file, blob, item) }
        } catch {
            try await context.blocking { [context] in try context.content.remove(blob) }
            throw error
        }
        if !isInstalled { try await context.blocking { [context] in try context.content.remove(blob) } }
        return isInstalled
    }

    /// Runs work on a document while no program reads or writes it under a claim, off the cooperative pool.
    func withPermit<T: Sendable>(_ item: LocalItem, _ work: @escaping @Sendable () throws -> T) async throws -> T {
        let permit = try await context.blocking { [context] in
            context.permits.areFree ? EnginePermit.now(end: {}) : context.permits.ask(.swap, for: item.node)
        }
        let end: PermitRelease?
        switch permit {
        case .now(let now): end = now
        case .later(let wait): end = await wait()
        case .refused: end = nil
        }
        guard let end else {
            throw VersionError(
                code: .busy, message: "A program holds a claim on the document. Try again when it is done."
            )
        }
        return try await context.blocking {
            defer { end() }
            context.mounted.noteIdleEdits(pause: .zero)
            return try work()
        }
    }

    private func install(
        _ version: HistoricVersion, _ file: SharedDescriptor, _ blob: BlobName, _ item: LocalItem
    ) throws -> Bool {
        try context.content.syncBytes(of: blob, file.raw)
        try context.content.syncName(of: blob)
        return try context.changeTree { transaction, effects in
            var follower = LogFollower(context).follower(transaction, item.container)
            guard let name = try follower.restore(version.content, blob: blob, replacing: item) else { return false }
            if name != blob {
                try context.content.rename(blob, to: name)
                try context.content.syncName(of: name)
            }
            effects = follower.effects
            return true
        }
    }
}

extension VersionError {
    package init(_ error: TransferError) {
        switch error.code {
        case .offline, .stalled:
            self.init(
                code: .offline,
                message: "Its bytes are in the cloud, which cannot be reached now. Try again when it can.")
        case .notFound:
            self.init(
                code: .notFound, message: "Its bytes are no longer in the cloud: versions are kept for a limited time."
            )
        default: self.init(code: .failed, message: error.message)
        }
    }
}
