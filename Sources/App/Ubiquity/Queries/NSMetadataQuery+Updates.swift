import DaemonProtocol
import Foundation
import Synchronization

/// A query's changes since the last update; the items have the values of that time.
public struct MetadataQueryUpdate: Sendable {
    public let added: [NSMetadataItem]
    public let changed: [NSMetadataItem]
    public let removed: [NSMetadataItem]
    /// Whether all initial results have been delivered with this update.
    public let isGathered: Bool
}

extension NSMetadataQuery {
    /// Returns the items matching a predicate, and their changes, as a sequence ended by its consumer.
    ///
    /// Not part of Apple's API: this is the counterpart of notifications for tasks. A slow consumer receives the newest
    /// state, not every step.
    ///
    /// - Parameter scopes: Apple's constants, and paths of folders; none for everything in containers.
    /// - Throws: The error in the format, or the daemon's error.
    public static func updates(
        matching format: String, arguments: [Any] = [], scopes: [String] = []
    ) throws -> AsyncThrowingStream<MetadataQueryUpdate, any Error> {
        let query = NSMetadataQuery()
        query.predicate = try NSPredicate(metadataFormat: format, arguments: arguments)
        query.searchScopes = scopes
        query.notificationBatchingInterval = 0.25
        let restriction = query.restriction
        guard let mount = ClaimRouter.shared.principalMount, let request = query.request(restriction) else {
            throw CoordinationFailure.error(
                .featureUnsupported, "There is no mount. Create one with `ubiquity mount`.", at: nil)
        }
        let updates = try MetadataUpdates(mount, request, restriction)
        return AsyncThrowingStream { try await updates.next() }
    }
}

/// Retains a query for as long as its updates are wanted.
private final class MetadataUpdates: Sendable {
    private let feed: MetadataFeed
    private let root: String
    private let restricted: Mutex<RestrictedChanges>
    private let arrivals: AsyncStream<Void>

    init(_ mount: MountAuthority, _ request: FindRequest, _ restriction: QueryRestriction) throws {
        let (arrivals, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.arrivals = arrivals
        root = mount.root
        restricted = Mutex(RestrictedChanges(restriction, root: mount.root))
        feed = MetadataFeed(mount, request) { bell.yield() }
        do throws(DaemonFailure) { try feed.start() } catch {
            throw CoordinationFailure.error(.fileReadUnknown, error.description, at: nil)
        }
    }

    deinit { feed.stop() }

    /// Returns the next update; nil if the task was cancelled.
    func next() async throws -> MetadataQueryUpdate? {
        for await _ in arrivals {
            guard let all = feed.take(), let update = restricted.withLock({ $0.take(all) }) else { continue }
            if let failure = update.failure {
                throw CoordinationFailure.error(.fileReadUnknown, failure.description, at: nil)
            }
            return MetadataQueryUpdate(
                added: items(update.added), changed: items(update.changed), removed: items(update.removed),
                isGathered: update.isGathered)
        }
        return nil
    }

    private func items(_ found: [FoundItem]) -> [NSMetadataItem] { found.map { NSMetadataItem($0, root: root) } }
}
