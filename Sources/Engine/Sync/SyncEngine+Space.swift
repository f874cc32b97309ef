import Basics
package import CloudStorage
import LocalMetadata
import Logging
import Synchronization

/// The space of the cloud, as `df` shows it.
extension SyncEngine {
    /// The cloud's space as of a moment ago. Every access triggers a new query.
    package var cloudSpace: CloudSpace? {
        spaceBell.ring()
        return shared.withLock { $0.space }
    }

    /// Queries the space whenever something may have changed it: immediately, and a second later, when the cloud has
    /// freed the space of permanent removals.
    func watchSpace() async {
        while !Task.isCancelled {
            await spaceBell.untilRung()
            await refreshSpace()
            // Only cancellation ends a sleep early, and then it ends the loop as well.
            try? await context.clock.sleep(for: .seconds(1))
            await refreshSpace()
        }
    }

    private func refreshSpace() async {
        guard !Task.isCancelled, state == .online else { return }
        do { await remember(try await context.backend.space()) } catch {
            context.log.debug("the space of the cloud is not known", metadata: ["why": "\(error)"])
        }
    }

    /// Stores the cloud's space for the next start, so that `df` shows the same before the cloud is reached.
    func remember(_ space: CloudSpace?) async {
        let isNew = shared.withLock { shared in
            defer { shared.space = space }
            return shared.space?.total != space?.total
        }
        guard isNew else { return }
        let text = space.map { "\($0.total) \($0.free)" } ?? ""
        do {
            try await context.blocking { [context] in
                try context.metadata.write { try $0.setSetting(Self.spaceKey, .init(text.utf8)) }
            }
        } catch { context.log.debug("the size of the cloud is not kept", metadata: ["why": "\(error)"]) }
    }

    private static let spaceKey = "cloudSpace"

    /// Returns the total and free space of the cloud when it was last queried.
    static func lastSpace(in metadata: MetadataDatabase) -> CloudSpace? {
        // If the setting cannot be read, the cloud is queried.
        guard let stored = try? metadata.read({ try $0.setting(spaceKey) }) else { return nil }
        let numbers = String(decoding: stored, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) }
        return numbers.count == 2 ? CloudSpace(total: numbers[0], free: numbers[1]) : nil
    }
}
