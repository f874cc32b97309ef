import Basics
import CloudModel
import CloudStorage
import ContainerLog
import LocalMetadata
import Logging
import Synchronization

/// The rounds of the engine's loops.
extension SyncEngine {
    /// - Returns: Whether anything was appended to the log.
    func syncLogs() async throws -> Bool {
        try await connect()
        try await listContainers()
        var (didTell, isWhole) = (false, true)
        for container in try await containers() where container.isInCloud {
            let isFollowed = try await confined(container) {
                try await pull(container)
                if try await pushUnlessRefused(container) { didTell = true }
            }
            isWhole = isWhole && isFollowed
        }
        if isWhole { shared.withLock { $0.rounds += 1 } }
        if didTell { spaceBell.ring() }
        containerErrors.endRound()
        return didTell
    }

    func upload(_ lane: UploadService.Lane) async throws {
        var burst = BurstDelay()
        burst.look(changes)
        while try await spaced({ try await uploadOnce(lane) }) { await waitForLull(&burst) }
    }

    private func uploadOnce(_ lane: UploadService.Lane) async throws -> Bool {
        guard mayWrite, try await uploads.uploadDue(lane) else { return false }
        logBell.ring()
        spaceBell.ring()
        return true
    }

    private func containers() async throws -> [LocalContainer] {
        try await context.blocking { [context] in try context.metadata.read { try $0.containers() } }
    }

    private func connect() async throws {
        guard state != .online else { return }
        let expected = try await context.blocking { [context] in
            try context.metadata.read { try $0.setting("cloud").map { String(decoding: $0, as: UTF8.self) } }
        }
        let identity = try await context.backend.connect(create: expected == nil)
        if let expected, expected != identity.text {
            try await CloudContinuation(containers: containers(), backend: context.backend).require()
        }
        if expected != identity.text {
            let local = expected == nil ? [] : try await containers()
            try await context.blocking { [context] in
                try context.metadata.write(.uploading) { transaction in
                    try transaction.setSetting("cloud", .init(identity.text.utf8))
                    for container in local {
                        try transaction.setSetting(LocalContainer.unverifiedKey(container.id), .init([1]))
                    }
                }
                // If a power failure lost it, this device could create a second cloud while this one is unreachable.
                try context.metadata.makeDurable()
            }
        }
        try await distrustUploads()
        shared.withLock { shared in
            shared.state = .online
            shared.isListStale = true
        }
        context.log.notice("connected to the cloud")
        for bell in uploadBells.values { bell.ring() }
        downloadBell.ring()
        downloads.retryNow()
    }

    /// Requires the next append to verify that the cloud has all uploaded but unsent contents: the cloud may have been
    /// rolled back since.
    private func distrustUploads() async throws {
        try await context.blocking { [context] in
            let waiting = try context.metadata.read { transaction in
                try transaction.containers().filter { container in
                    try transaction.pending.uploadedFiles(in: container.id).contains {
                        try transaction.synced.item($0.item, in: container.id)?.body.content?.reference != $0.content
                    }
                }
            }
            guard !waiting.isEmpty else { return }
            try context.metadata.write(.uploading) { transaction in
                for container in waiting {
                    try transaction.setSetting(LocalContainer.unverifiedKey(container.id), .init([1]))
                }
            }
        }
    }

    /// Creates local containers in the cloud, and shows the cloud's containers on this device.
    private func listContainers() async throws {
        let local = try await containers()
        let isStale = shared.withLock { shared in
            defer { shared.isListStale = false }
            return shared.isListStale
        }
        for container in local where !container.isInCloud { try await createUnlessRefused(container) }
        guard isStale else { return }
        do {
            let known = Set(local.map(\.name))
            for name in try await context.backend.containers() where !known.contains(name) { try await adopt(name) }
            let space = try await context.backend.space()
            await remember(space)
        } catch {
            shared.withLock { $0.isListStale = true }
            throw error
        }
    }

    private func adopt(_ name: ContainerName) async throws {
        try await context.blocking { [context] in
            try context.changeTree(.uploading) { transaction, effects in
                guard try transaction.container(named: name) == nil else { return }
                let container = try transaction.createContainer(name, at: context.time.now())
                try transaction.setIsInCloud(container)
                if let node = try transaction.container(container)?.node, let item = try transaction.local.item(node) {
                    effects.changedEntries.insert(TreeEffects.Entry(parent: .root, name: item.name))
                    effects.changedNodes.insert(.root)
                    effects.created.insert(node)
                }
            }
        }
    }

    /// Folds the new entries of the log.
    private func pull(_ container: LocalContainer) async throws {
        var container = container
        while true {
            let records = try await entries(after: container)
            guard !records.isEmpty else { return try await noteSeen(container) }
            try await context.blocking { [follower, container] in
                for record in records { try follower.fold(record, in: container) }
            }
            downloadBell.ring()
            guard let next = try await containers().first(where: { $0.id == container.id }) else { return }
            container = next
        }
    }

    private func entries(after container: LocalContainer) async throws -> [LogRecord] {
        do {
            return try await context.backend.entries(in: container.name, after: container.position, limit: 64)
        } catch let error as CloudError where error.code == .notFound && container.sequence > .zero {
            throw CloudError.lostContainer(container.name, error.message)
        }
    }

    /// Notes that entries from now on are new changes, as opposed to the state before this device joined.
    private func noteSeen(_ container: LocalContainer) async throws {
        guard shared.withLock({ $0.seen.insert(container.id).inserted }) else { return }
        try await context.blocking { [context] in
            let key = LocalContainer.seenKey(container.id)
            guard try context.metadata.read({ try $0.setting(key) }) == nil else { return }
            try context.metadata.write(.uploading) { try $0.setSetting(key, .init([1])) }
        }
        shared.withLock { $0.whenRead }?()
    }

    /// Appends settled local changes to the log, batch by batch. Returns whether there were any.
    func push(_ container: LocalContainer) async throws -> Bool {
        try await context.blocking { [follower] in try follower.followUnsettled(in: container) }
        var didTell = false
        while let batch = try await context.blocking({ [outbox] in try outbox.next(in: container) }) {
            try await LostChunks(context: context).append(batch.payload, to: container)
            didTell = true
            guard let current = try await containers().first(where: { $0.id == container.id }) else { break }
            try await pull(current)
            try await context.blocking { [follower] in try follower.followUnsettled(in: container) }
            guard batch.isFull else {
                // Changes settled in the meantime are sent together with those that settle next.
                logBell.ring()
                break
            }
        }
        return didTell
    }
}
