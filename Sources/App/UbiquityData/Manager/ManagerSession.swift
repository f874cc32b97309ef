import CloudModel
import Foundation
import GRDB
import Records

/// A unit of a manager's work, with the folder's lock, the stored state, and the current container.
///
/// After a crash at any step, the folders and the stored state are enough to continue.
struct ManagerSession {
    let files: DocumentFolder
    let schema: UbiquitousDatabaseSchema
    let environment: SyncEnvironment
    /// Nil if the cloud cannot be reached.
    let container: ContainerFolder?
    /// Documents open in this process.
    let open: OpenDocuments
    private(set) var state: ManagerState
    var events: [ManagerEvent] = []
    /// Whether something waits for the log or for another process.
    var isWaiting = false

    init(
        files: DocumentFolder, schema: UbiquitousDatabaseSchema, environment: SyncEnvironment,
        container: ContainerFolder?, open: OpenDocuments
    ) throws {
        (self.files, self.schema, self.environment) = (files, schema, environment)
        (self.container, self.open) = (container, open)
        state = try ManagerState(readingFrom: files.statePath)
    }

    /// Changes the stored state.
    mutating func update(_ body: (inout ManagerState) -> Void) throws {
        var new = state
        body(&new)
        guard new != state else { return }
        try environment.step(.storeState)
        try new.store(at: files.statePath)
        state = new
    }

    // MARK: The list

    func scan() throws -> DatabaseScan {
        var scan = DatabaseScan()
        for name in try files.names() where name.isShared {
            let package = files.package(name)
            scan.documents[name] = package.isAnnounced
            if package.isUnconfirmed, open.find(name) == nil { scan.unconfirmed.insert(name) }
        }
        scan.leaving = Set(try files.names(in: .leaving))
        scan.moving = state.moving
        scan.isFollowing = state.preference.isFollowing
        guard let container else { return scan }
        scan.shared = try container.documents()
        scan.removed = try container.removals()
        scan.departing = try container.departures()
        return scan
    }

    func list() throws -> [UbiquitousDatabaseInfo] {
        let scan = try scan()
        let sources = state.moves.compactMap(\.names)
        // A document being moved is listed once, by its current name.
        let hidden = Set(sources.filter { files.has($0.source) }.map(\.target))
        var names = Set(try files.names()).subtracting(hidden)
        names.formUnion(scan.builds)
        return names.map { UbiquitousDatabaseInfo($0, scan.state(of: $0, isReachable: container != nil)) }
            .sorted { ($0.title, $0.identifier ?? "") < ($1.title, $1.identifier ?? "") }
    }

    func info(_ name: PackageName) throws -> UbiquitousDatabaseInfo {
        UbiquitousDatabaseInfo(name, try scan().state(of: name, isReachable: container != nil))
    }

    // MARK: Access

    /// Closes a document in this process and keeps it closed in all processes.
    func exclusive(_ name: PackageName) throws -> PackageLock {
        guard files.has(name) else { throw UbiquitousDatabaseManagerError.notFound(title: name.title) }
        try open.close(name)
        guard let lock = try PackageLock.take(files.package(name).lock, .exclusive) else {
            throw UbiquitousDatabaseManagerError.inUse(title: name.title)
        }
        return lock
    }

    /// Publishes and imports the contents of a closed document.
    ///
    /// - Parameter limit: Imports files before this version, and publishes nothing; nil for all.
    func exchange(_ name: PackageName, _ database: UbiquitousDatabase, before limit: VersionID? = nil) throws {
        guard let container, container.has(name) else { return }
        let records = try container.records(of: name, device: database.device, before: limit)
        if limit == nil, try database.hasUnpublished() { try database.publish(to: records) }
        try database.importFiles(from: records)
    }

    // MARK: Creating documents

    mutating func create(_ name: PackageName) throws {
        guard !files.has(name), !state.moving.contains(name) else {
            throw UbiquitousDatabaseManagerError.titleTaken(name.title)
        }
        let making = files.package(name, in: .making)
        try making.makeEmpty()
        try environment.step(.makeCopy)
        if let identifier = name.identifier {
            try schema.open(making.database, identifier: identifier, isNew: true).close()
        } else {
            try schema.openLocal(making.database, isNew: true).close()
        }
        try making.makeDurable()
        try environment.step(.showCopy)
        try files.move(name, from: .making, to: .documents)
        if container != nil, name.isShared { try announce(name) }
    }

    /// Returns a title not used by a local document.
    func freeTitle(_ title: String, besides others: Set<PackageName> = []) throws -> PackageName {
        let taken = state.moving.union(others)
        for number in 1... {
            guard let name = PackageName(title: number == 1 ? title : "\(title) \(number)") else { break }
            if !files.has(name), !taken.contains(name) { return name }
        }
        throw UbiquitousDatabaseManagerError.badTitle(title)
    }

    /// Identifies the database shared by all devices under a title: by the title alone, or with a number if earlier
    /// ones were removed.
    func libraryName(_ title: String) throws -> PackageName? {
        let removed = try container?.removals() ?? [:]
        let departing = try container?.departures() ?? [:]
        for number in 0... {
            let identifier = LibraryIdentifier.make(title, number)
            guard removed[identifier] != nil || departing[identifier] != nil else {
                return PackageName(title: title, identifier: identifier)
            }
        }
        return nil
    }

    mutating func announce(_ name: PackageName) throws {
        guard let container else { return }
        try environment.step(.announce)
        try container.announce(name)
        try files.package(name).noteAnnounced()
        // Contents of closed documents are sent, too.
        if let document = open.find(name) { return document.noteReachable() }
        try files.package(name).noteUnconfirmed(true)
        try exchange(name)
    }

    /// Publishes and imports for a closed document.
    mutating func exchange(_ name: PackageName) throws {
        let package = files.package(name)
        isWaiting = true
        // Another process with the document open does the same.
        guard let lock = try PackageLock.take(package.syncLock, .exclusive) else { return }
        try withExtendedLifetime(lock) {
            let database = try schema.open(package.database, identifier: name.identifier)
            defer {
                // Its contents stay.
                try? database.close()
            }
            try exchange(name, database)
            try package.noteUnconfirmed(database.hasUnconfirmed())
        }
    }
}

/// Identifiers common to all devices for the same title.
enum LibraryIdentifier {
    /// 128 bits of FNV-1a (RFC draft-eastlake-fnv, 64 bits twice) of the title and the number. The top bit is as in
    /// random identifiers.
    static func make(_ title: String, _ number: Int) -> String {
        let bytes = Array("\(title)\u{0}\(number)".utf8)
        return ItemID(high: hash([1] + bytes) | 1 << 63, low: hash([2] + bytes)).description
    }

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
