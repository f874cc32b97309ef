import CloudModel

/// The contents of a device and of its container, and the actions that follow. Pure.
///
/// Nothing is inferred from a missing folder: a container may not be mounted, may belong to a different account, or may
/// not be complete yet. Only a mark in the log proves a database's removal.
struct DatabaseScan: Hashable, Sendable {
    /// Marks in the container, by identifier; nil while missing from the log. ``ContainerFolder``
    /// defines their versions.
    typealias Marks = [String: VersionID?]

    enum Action: Hashable, Sendable {
        /// Creates the container's folder for a locally created database.
        case announce(PackageName)
        /// A closed document has transactions missing from the log.
        case exchange(PackageName)
        /// A peer with imports up to this version has removed the database.
        case followRemoval(PackageName, VersionID)
        /// The container never had the database, and an earlier database with the identifier was removed: a library
        /// created offline. It gets a new identifier.
        case replace(PackageName)
        /// A peer has shared the database: this device gets a copy.
        case build(PackageName)
        /// The folder came back with files of a device unaware of the removal.
        case removeFolder(PackageName)
        /// This device has removed the database, and the peers must be notified.
        case finishRemoval(PackageName)

        var name: PackageName {
            switch self {
            case .announce(let name), .exchange(let name), .followRemoval(let name, _), .replace(let name),
                .build(let name), .removeFolder(let name), .finishRemoval(let name):
                name
            }
        }
    }

    /// This device's shared documents, and whether the container has had their folders.
    var documents: [PackageName: Bool] = [:]
    /// Databases not open on this device, with transactions missing from the log.
    var unconfirmed: Set<PackageName> = []
    /// Locally removed, until the log records the removal.
    var leaving: Set<PackageName> = []
    /// Documents being moved, by both names.
    var moving: Set<PackageName> = []
    /// Whether peers' databases appear on this device.
    var isFollowing = false

    var shared: Set<PackageName> = []
    var removed: Marks = [:]
    /// Databases being moved out of the cloud by any device.
    var departing: Marks = [:]

    private static func isMarked(_ name: PackageName, in marks: Marks) -> Bool {
        name.identifier.map { marks[$0] != nil } ?? false
    }

    private func removal(of name: PackageName) -> VersionID? {
        name.identifier.flatMap { removed[$0] ?? nil }
    }

    /// In order of execution; none depends on an earlier outcome.
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

    /// Databases without a copy on this device yet.
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
