package import Basics
package import CloudModel
import ContainerLog
package import LocalMetadata

/// The history of whole packages, derived from the histories of their files; see ``PackageTimeline``.
package struct PackageHistory: Sendable {
    let context: EngineContext
    private static let attempts = 600
    private static let interval = Duration.milliseconds(50)

    package init(_ context: EngineContext) { self.context = context }

    /// Gives a package the contents of an earlier state, in a single change of the shown tree, received by the log as
    /// one batch. Files without local bytes become placeholders, to be downloaded if the package was complete on this
    /// device. The package's current content becomes a state of its history.
    ///
    /// Waits up to 30 seconds until the log has the current content, and for programs that read or write it under a
    /// claim.
    ///
    /// - Throws: ``VersionError``.
    package func restore(_ state: PackageState, of id: ItemID, in container: ContainerID) async throws {
        context.urgency.begin()
        defer { context.urgency.end() }
        // Presenters of the package may save when asked; that save is uploaded before it is replaced, too.
        for _ in 0..<4 {
            let package = try await settled(id, container)
            let isRestored = try await VersionHistory(context).withPermit(package) {
                try context.changeTree { transaction, effects in
                    guard let package = try transaction.local.item(id, in: container),
                        try isSettled(package, transaction)
                    else { return false }
                    var follower = LogFollower(context).follower(transaction, container)
                    try follower.restore(state, of: package)
                    effects = follower.effects
                    return true
                }
            }
            if isRestored { return }
        }
        throw VersionError(
            code: .busy,
            message: "A program keeps writing the package. Close it there, then restore the version.")
    }

    /// Returns the package's current content, once the log has all of it.
    ///
    /// Waits up to `limit` for that, by default 30 seconds.
    ///
    /// - Throws: ``VersionError``.
    package func present(
        _ id: ItemID, in container: ContainerID, within limit: Duration? = nil
    ) async throws -> [PackageContent] {
        context.urgency.begin()
        defer { context.urgency.end() }
        let attempts = limit.map { max(1, Int(min($0 / Self.interval, 10_000_000))) } ?? Self.attempts
        for _ in 0..<4 {
            let package = try await settled(id, container, attempts: attempts)
            let contents = try await context.blocking { [self] in
                try context.metadata.read { transaction in
                    try isSettled(package, transaction)
                        ? transaction.presentContents(of: package.item, in: container) : nil
                }
            }
            if let contents { return contents }
        }
        throw VersionError(code: .busy, message: "A program keeps writing the package. Try again when it is saved.")
    }

    /// Returns the package once the log has all of it.
    private func settled(
        _ id: ItemID, _ container: ContainerID, attempts: Int = attempts
    ) async throws -> LocalItem {
        for attempt in 0... {
            let (package, isReady, isPaused) = try await context.blocking {
                [self] () throws -> (LocalItem?, Bool, Bool) in
                context.mounted.noteIdleEdits(pause: .zero)
                return try context.metadata.read { transaction -> (LocalItem?, Bool, Bool) in
                    guard let package = try transaction.local.item(id, in: container) else {
                        return (nil, false, false)
                    }
                    return (package, try isSettled(package, transaction), try Self.isPaused(package, transaction))
                }
            }
            guard let package else {
                throw VersionError(
                    code: .notFound, message: "The package was deleted. Restore the version to another place.")
            }
            if isReady { return package }
            guard !package.isExcluded, !isPaused, attempt < attempts else {
                throw VersionError(
                    code: .notUploaded,
                    message: "The present state of the package is not in the cloud, and would be lost. "
                        + "Try again when `ubiquity status` says uploaded.")
            }
            try await context.clock.sleep(for: Self.interval)
        }
        throw CancellationError()
    }

    private func isSettled(_ package: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        let delta = try transaction.pending.unsentChanges(ofPackage: package.node, settledBefore: context.time.now())
        return package.isKnown && !delta.isUnderway && delta.items.isEmpty && delta.departures.isEmpty
    }

    private static func isPaused(_ package: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        var isPaused = false
        try transaction.local.forEach(below: package) { isPaused = isPaused || $0.isPaused }
        return isPaused
    }
}

extension MetadataTransaction {
    /// The maximum number of a package's items to examine, including deleted items.
    private static let maximumItems = 100_000

    /// Returns the earlier states of a package, the newest first. Needs no network.
    ///
    /// - Parameter id: A package, live or deleted, as the log has it.
    /// - Throws: ``VersionError`` for a package with more than 100,000 items.
    package func packageStates(
        of id: ItemID, in container: ContainerID, _ limits: VersionLimits, at now: Timestamp
    ) throws -> [PackageState] {
        let tree = remote(in: container)
        guard let package = try tree.item(id), package.body == .folder else { return [] }
        // A program that saves a package as a new folder leaves the old folder deleted under the same name.
        let former = try history.notedDeletions(from: package.parent, in: container)
            .filter { $0.name == package.name && $0.item != id }
            .map(\.item)
        var contents: [PackageContent] = []
        var folders = try ([id] + former).filter { try tree.item($0)?.body == .folder }.map { ($0, [ItemName]()) }
        var seen = Set(folders.map(\.0))
        let longest = VersionLimits(count: VersionLimits.most, age: limits.age)
        while let (folder, path) = folders.popLast() {
            let deletions = Dictionary(
                try history.notedDeletions(from: folder, in: container).map { ($0.item, $0) }, uniquingKeysWith: { $1 })
            for child in try tree.children(of: folder) + deletions.keys where seen.insert(child).inserted {
                guard seen.count <= Self.maximumItems else {
                    throw VersionError(
                        code: .failed,
                        message: "The package has more than \(Self.maximumItems) items. Name a file in it.")
                }
                guard let item = try tree.item(child), try tree.alias(of: child) == nil else { continue }
                let path = path + [item.name]
                if item.body == .folder { folders.append((child, path)) }
                contents += PackageContent.all(
                    of: item, at: path, try history.versions(of: child, in: container, longest, at: now),
                    deletions[child])
            }
        }
        return PackageTimeline(contents).states(since: now.adding(.zero - limits.age), limit: limits.count)
    }
}

extension MetadataTransaction {
    /// Returns the contents of a package in the log, ordered by path.
    ///
    /// - Returns: nil while the bytes of a file in it are not in the cloud.
    fileprivate func presentContents(of package: ItemID, in container: ContainerID) throws -> [PackageContent]? {
        let tree = remote(in: container)
        var contents: [PackageContent] = []
        var folders = [(package, [ItemName]())]
        // Damaged rows may form a cycle.
        var seen: Set = [package]
        while let (folder, path) = folders.popLast() {
            for child in try tree.children(of: folder) where seen.insert(child).inserted {
                guard let item = try tree.item(child), !item.isDeleted else { continue }
                let path = path + [item.name]
                let body: PackageContent.Body
                switch item.body {
                case .folder:
                    folders.append((child, path))
                    continue
                case .symlink(let target): body = .symlink(target: target)
                case .file(let file):
                    guard let reference = file.reference else { return nil }
                    body = .file(reference)
                }
                contents.append(
                    PackageContent(
                        path: path, item: child, body: body, permissions: item.attributes.permissions,
                        version: item.version, modified: item.attributes.modified, device: item.authorName))
            }
        }
        return contents.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    }
}

extension PackageContent {
    /// Returns the current and former contents of a file or link. Folders follow from their contents.
    fileprivate static func all(
        of item: CloudItem, at path: [ItemName], _ history: [HistoricVersion], _ deletion: NotedDeletion?
    ) -> [PackageContent] {
        let content = { (body: Body, version: VersionID, modified: Timestamp, device: String, ended: Timestamp?) in
            PackageContent(
                path: path, item: item.id, body: body, permissions: item.attributes.permissions, version: version,
                modified: modified, device: device, ended: ended,
                endedBy: ended == deletion?.noted ? deletion?.device : nil)
        }
        let modified = item.attributes.modified
        var contents = history.map {
            content(.file($0.content), $0.version, $0.modified, $0.authorName, $0.superseded)
        }
        switch item.body {
        case .folder: return []
        case .symlink(let target):
            guard !item.isDeleted || deletion != nil else { break }
            contents.append(
                content(.symlink(target: target), item.version, modified, item.authorName, deletion?.noted))
        case .file(let file):
            guard !item.isDeleted, let reference = file.reference else { break }
            contents.append(content(.file(reference), item.version, modified, item.authorName, nil))
        }
        return contents
    }
}
