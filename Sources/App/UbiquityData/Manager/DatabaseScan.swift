import CloudModel

/// What a device has and what the container has, and what follows from the two. Pure.
///
/// Nothing is inferred from a folder that is absent: a container may not be mounted, may be another account's, or may not be complete yet.
/// Only a mark that the log has says that a database was removed.
struct DatabaseScan: Hashable, Sendable {
    /// Marks in the container, by identifier; nil while the log does not have one. ``ContainerFolder`` says which versions they have.
    typealias Marks = [String: VersionID?]

    enum Action: Hashable, Sendable {
        /// The container gets the folder of a database that was made here.
        case announce(PackageName)
        /// A closed document has transactions that the log did not have.
        case exchange(PackageName)
        /// A peer that had imported up to this version has removed the database.
        case followRemoval(PackageName, VersionID)
        /// The container never had the database, and an earlier one with the identifier was removed: a library that was made offline. It
        /// gets another identifier.
        case replace(PackageName)
        /// A peer has shared the database: this device gets a copy.
        case build(PackageName)
        /// The folder came back with files of a device that did not know of the removal.
        case removeFolder(PackageName)
        /// This device has removed the database, and the peers have to be notified.
        case finishRemoval(PackageName)

        var name: PackageName {
            switch self {
            case .announce(let name), .exchange(let name), .followRemoval(let name, _), .replace(let name),
                .build(let name), .removeFolder(let name), .finishRemoval(let name):
                name
            }
        }
    }

    /// The shared documents of this device, and whether the container has had their folders.
    var documents: [PackageName: Bool] = [:]
    /// Those that are not open here and have transactions that the log did not have.
    var unconfirmed: Set<PackageName> = []
    /// Removed here, until the log has that.
    var leaving: Set<PackageName> = []
    /// Documents that are being moved, by both names.
    var moving: Set<PackageName> = []
    /// Whether databases of peers appear here.
    var isFollowing = false

    var shared: Set<PackageName> = []
    var removed: Marks = [:]
    /// Databases that a device is moving out of the cloud.
    var departing: Marks = [:]

    private static func isMarked(_ name: PackageName, in marks: Marks) -> Bool {
        name.identifier.map { marks[$0] != nil } ?? false
    }

    private func removal(of name: PackageName) -> VersionID? {
        name.identifier.flatMap { removed[$0] ?? nil }
    }

    /// In the order in which they are carried out; none depends on the outcome of another.
    var actions: [Action] {
        let known = documents.keys.filter { !moving.contains($0) }.sorted { $0.description < $1.description }
        var actions = leaving.sorted { $0.description < $1.description }.map(Action.finishRemoval)
        for name in known {
            if let version = removal(of: name) {
                actions.append(documents[name] == true ? .followRemoval(name, version) : .replace(name))
            } else if documents[name] == false, !Self.isMarked(name, in: removed) {
                actions.append(.announce(name))
            } else if unconfirmed.contains(name), shared.contains(name) {
                actions.append(.exchange(name))
            }
        }
        let identifiers = Set(leaving.union(moving).union(documents.keys).compactMap(\.identifier))
        for name in shared.sorted(by: { $0.description < $1.description }) {
            guard let identifier = name.identifier, !identifiers.contains(identifier) else { continue }
            if Self.isMarked(name, in: removed) {
                if removal(of: name) != nil { actions.append(.removeFolder(name)) }
            } else if isFollowing, !Self.isMarked(name, in: departing) {
                actions.append(.build(name))
            }
        }
        return actions
    }

    /// The databases of which this device has to get a copy.
    var builds: [PackageName] { actions.compactMap { if case .build(let name) = $0 { name } else { nil } } }

    func state(of name: PackageName, isReachable: Bool) -> UbiquitousDatabaseInfo.State {
        guard let identifier = name.identifier else { return moving.contains(name) ? .moving : .local }
        if moving.contains(name) { return .moving }
        guard isReachable else { return .unreachable }
        if departing[identifier] != nil || removed[identifier] != nil { return .leaving }
        guard let isAnnounced = documents[name] else { return .building }
        if shared.contains(name) { return .current }
        return isAnnounced ? .missing : .new
    }
}
