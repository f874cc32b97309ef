import Basics
package import CloudModel
import Glibc
package import LocalContent
package import LocalMetadata
import Logging
import Synchronization
import Transfers

/// Seals long-waiting edits, so that a silently changed byte is detected and not uploaded as the user's edit.
package final class EditSealer: Sendable {
    private let context: EngineContext
    private let hasher: ContentHasher
    private let state = Mutex(State())

    private struct State {
        /// The last examined edit: those before it have their seals. Not persistent.
        var last: LocalItem?
        var isPossible = true
    }

    /// How long an edit waits before it is sealed. Most edits are uploaded sooner, and so are read only once.
    package static let age = Duration.seconds(60)
    /// Bytes read per call, so that sealing does not delay other maintenance.
    private static let budget: UInt64 = 64 << 20

    package init(_ context: EngineContext) {
        self.context = context
        hasher = ContentHasher(pool: context.transfers.pool)
    }

    /// Seals some of the long-waiting edits; `isBusy` identifies files already being read. Throws the database's error,
    /// or `CancellationError`.
    package func look(isBusy: (NodeID) -> Bool) async throws {
        var read: UInt64 = 0
        while read < Self.budget, let item = try await next() {
            if !isBusy(item.node) {
                try await seal(item)
                read = read.saturatingSum(item.size).saturatingSum(4096)
            }
            state.withLock { $0.last = item }
        }
    }

    /// Returns the oldest edit after the last one; nil if none has waited long enough, or seals cannot be stored.
    private func next() async throws -> LocalItem? {
        guard let last = state.withLock({ $0.isPossible ? Optional($0.last) : nil }) else { return nil }
        let item = try await context.blocking { [context] in
            try context.metadata.read { try $0.transfers.edited(after: last, limit: 1) }.first
        }
        let due = context.time.now().adding(.zero - Self.age)
        return item.flatMap { $0.pendingSince.map { $0 <= due } == true ? $0 : nil }
    }

    private func seal(_ item: LocalItem) async throws {
        do {
            let status = try context.content.status(item.blob)
            guard item.size > 0, try context.content.seal(of: item.blob)?.isOf(item, status) != true else { return }
            let file = SharedDescriptor(adopting: try context.content.open(item.blob))
            let digest = try await hasher.reference(file).digest
            try await context.blocking { [self] in _ = try note(digest, of: item, status) }
        } catch let error as Errno where [ENOTSUP, ENOSPC].contains(error.code) {
            // The next start retries, perhaps on a different disk or with more space.
            state.withLock { $0.isPossible = false }
        } catch let error as Errno {
            // Its bytes are missing or unreadable: the upload reports this.
            context.log.debug("an edit could not be sealed", metadata: ["node": "\(item.node)", "error": "\(error)"])
        } catch let error as TransferError {
            context.log.debug("an edit could not be read", metadata: ["node": "\(item.node)", "error": "\(error)"])
        }
    }

    /// Seals an edit as `digest`, unless it changed while it was read. Returns whether it was sealed.
    package func note(_ digest: Digest, of item: LocalItem, _ status: BlobStatus) throws -> Bool {
        guard try context.metadata.read({ try $0.local.item(item.node) }) == item,
            try context.content.status(item.blob) == status
        else { return false }
        try context.content.set(EditSeal(digest, of: item, status), of: item.blob)
        return true
    }
}
