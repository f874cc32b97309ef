import Basics
import CloudModel
import DaemonProtocol
import Glibc
import Records
import Synchronization
import UbiquityData

/// Beginning and ending to share a file. A registration is durable before the file is changed, and is removed after the
/// file is restored: a process dying in between continues at the next start.
extension SharingService {
    func share(_ request: ShareDatabaseRequest) throws -> DatabaseStatus {
        try changing.withLock { _ in try shareAlone(request) }
    }

    func attach(_ request: AttachDatabaseRequest) throws -> DatabaseStatus {
        try changing.withLock { _ in try attachAlone(request) }
    }

    func detach(_ request: DetachDatabaseRequest) throws {
        try changing.withLock { _ in try detachAlone(request) }
    }

    private func shareAlone(_ request: ShareDatabaseRequest) throws -> DatabaseStatus {
        let folder = try newFolder(request.name, request.container)
        let path = try newPath(request.path)
        guard access(path, F_OK) == 0 else {
            throw DaemonFailure(
                .notFound, "there is no such file", path: path,
                advice: "Name a database that a program has made, or attach this file to one of another device.")
        }
        try failing(path) { try Round.checkFile(path, mayBeAbsent: false) }
        guard folder.identifiers().isEmpty else {
            throw DaemonFailure(
                .conflict, "the cloud already has a shared database \(request.name) in \(folder.id.container)",
                advice: "Attach this file to it with `ubiquity database attach`, or choose another name.")
        }
        let probe = try failing(path) { try SharingProbe(path: path) }
        if let identifier = probe.identifier {
            throw DaemonFailure(
                .conflict, "the file is shared already, as database \(identifier)", path: path,
                advice:
                    "A program that uses the library shares it, or it was attached before: see `ubiquity database list`."
            )
        }
        let tables = try tables(request, probe, path)
        try requireSharable(path, tables)
        let registration = Registration(
            name: folder.id.name, container: folder.id.container, path: path,
            identifier: ItemID.random().description, tables: tables, sharesAll: request.sharesAll, version: 1,
            journalMode: probe.journalMode)
        return try begin(registration, removesFile: false)
    }

    private func attachAlone(_ request: AttachDatabaseRequest) throws -> DatabaseStatus {
        let folder = try newFolder(request.name, request.container)
        let path = try newPath(request.path)
        let identifier = try identifier(request, folder)
        let found = folder.schemas(of: identifier)
        guard let schema = found.schemas.first else {
            let why = found.failure.map { " (\($0.message))" } ?? ""
            throw DaemonFailure(
                .offline, "the tables of \(request.name) are not on this device yet\(why)",
                advice: "Sync with `ubiquity sync` while the cloud can be reached, and try again.")
        }
        let isAbsent = access(path, F_OK) != 0
        let probe =
            isAbsent
            ? nil
            : try failing(path) {
                try Round.checkFile(path, mayBeAbsent: false)
                return try SharingProbe(path: path)
            }
        if let other = probe?.identifier, other != identifier {
            throw DaemonFailure(
                .conflict, "the file belongs to another shared database, \(other)", path: path,
                advice: "Choose another file.")
        }
        if let probe, probe.identifier == nil, !request.sendsRows { try requireNoRows(path, probe, schema) }
        let tables = schema.tables.map { table in
            var table = table
            table.statements = []
            return table
        }
        var registration = Registration(
            name: folder.id.name, container: folder.id.container, path: path, identifier: identifier, tables: tables,
            sharesAll: false, version: schema.version, journalMode: probe?.journalMode ?? "")
        registration.schema = schema
        return try begin(registration, removesFile: isAbsent)
    }

    private func detachAlone(_ request: DetachDatabaseRequest) throws {
        let registration = try registration(request.name, in: request.container)
        try release(registration.id)
        do {
            var ending = registration
            ending.isEnding = true
            try registry.update(ending)
            try end(registration, discards: request.discardsUnpublished)
        } catch {
            // A remaining mark says nothing about a file still shared.
            try? registry.update(registration)
            try keep(registration)
            throw failure(error, registration.path)
        }
        do { try registry.remove(registration.id) } catch {
            // The worker tries it again.
            try keep(registration)
            throw failure(error, registration.path)
        }
    }

    // MARK: Steps

    private func begin(_ start: Registration, removesFile: Bool) throws -> DatabaseStatus {
        guard try registry.all.count < Registry.maximumCount else {
            throw DaemonFailure(
                .quota, "this device keeps \(Registry.maximumCount) shared databases already",
                advice: "Detach one that is not used.")
        }
        var registration = start
        try registry.add(registration)
        do { try Round.complete(&registration, registry, deviceName: deviceName) } catch {
            try registry.remove(registration.id)
            undo(registration, removesFile: removesFile)
            guard case UbiquitousDatabaseError.unsharable(let table, let reason) = error else {
                throw failure(error, registration.path)
            }
            throw unsharable(table, reason, registration.path, "Change the table, or choose another file.")
        }
        try keep(registration)
        guard let status = status(registration) else { throw DaemonFailure(.failed, "the database is not kept") }
        return status
    }

    /// Restores a refused file's former state. Leftovers of a failure are harmless.
    private func undo(_ registration: Registration, removesFile: Bool) {
        if removesFile {
            for ending in ["", "-wal", "-shm"] { unlink(registration.path + ending) }
        } else {
            _ = try? UbiquitousDatabase.restoreJournalMode(path: registration.path, to: registration.journalMode)
        }
    }

    private func end(_ registration: Registration, discards: Bool) throws {
        // A missing or replaced file has nothing to remove.
        guard access(registration.path, F_OK) == 0 else { return }
        let probe: SharingProbe
        do { probe = try SharingProbe(path: registration.path) } catch {
            guard discards else { throw error }
            return
        }
        guard probe.identifier == registration.identifier else {
            if registration.isEnding == true, probe.identifier == nil { restoreJournalMode(registration) }
            return
        }
        do {
            let plan = TablePlan(registration, probe, peers: [])
            let database = try UbiquitousDatabase(
                path: registration.path,
                tables: plan.declarations.filter { probe.sharedTables.contains($0.name.lowercased()) }.map(
                    \.declaration),
                identifier: registration.identifier, deviceName: deviceName, schemaVersion: registration.version,
                clock: SystemTime(), isForeign: true)
            // Changes not yet on other devices are sent with the last files.
            do { try database.publish(to: folder(registration.id).url) } catch { guard discards else { throw error } }
            try database.stopSharing(discardsUnpublished: discards)
        } catch {
            guard discards else { throw error }
            try UbiquitousDatabase.removeSharing(path: registration.path)
        }
        restoreJournalMode(registration)
    }

    private func restoreJournalMode(_ registration: Registration) {
        // Another program may have the file open; the mode is no obstacle to it.
        _ = try? UbiquitousDatabase.restoreJournalMode(path: registration.path, to: registration.journalMode)
    }

    // MARK: What is refused

    private func newFolder(_ name: String, _ container: String) throws(DaemonFailure) -> CloudFolder {
        guard CloudFolder.isValid(name) else {
            throw DaemonFailure(
                .invalidRequest, "“\(name.prefix(100))” cannot be the name of a shared database",
                advice:
                    "It has 1 to 100 bytes of letters, digits, spaces, - and _, and is neither Departing nor Removed.")
        }
        let folder = folder(Registration.Name(container: Self.folderName(container), name: name))
        guard !container.contains("/"), !container.hasPrefix("."), folder.hasContainer else {
            throw DaemonFailure(
                .notFound, "there is no container \(container.prefix(255))",
                advice: "`ubiquity container list` lists the containers.")
        }
        if let known = registry.find(folder.id) {
            throw DaemonFailure(
                .conflict, "\(name) is shared from this device already, as \(known.path)",
                advice: "Detach that file first, or choose another name.")
        }
        return folder
    }

    /// Returns the path without symbolic links. The file need not exist, its folder has to.
    private func newPath(_ path: String) throws(DaemonFailure) -> String {
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0), let slash = path.lastIndex(of: "/")
        else {
            throw DaemonFailure(
                .invalidRequest, "this is no absolute path of a file", path: path,
                advice: "Name the file with its whole path.")
        }
        let (folder, name) = (slash == path.startIndex ? "/" : String(path[..<slash]), path[slash...].dropFirst())
        guard let real = realpath(path, nil) ?? realpath(folder, nil) else {
            throw DaemonFailure(.notFound, "there is no such folder", path: folder, errno: errno)
        }
        defer { free(real) }
        var whole = String(cString: real)
        if access(path, F_OK) != 0 { whole += whole == "/" ? String(name) : "/\(name)" }
        guard whole != mount, !whole.hasPrefix("\(mount)/") else {
            throw DaemonFailure(
                .invalidRequest, "the file is in the cloud", path: whole,
                advice:
                    "A shared database stays on each device, and its transactions travel. Move it out with `ubiquity move-out`."
            )
        }
        if let known = try registry.all.first(where: { $0.path == whole || Self.isSame($0.path, whole) }) {
            throw DaemonFailure(
                .conflict, "the file is shared from this device already, as \(known.name)", path: whole,
                advice: "Detach it first.")
        }
        return whole
    }

    /// Whether two paths lead to the same file.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    private func tables(
        _ request: ShareDatabaseRequest, _ probe: SharingProbe, _ path: String
    ) throws(DaemonFailure) -> [SharedSchema.Table] {
        var named: [String: ShareDatabaseRequest.Table] = [:]
        for table in request.tables {
            guard probe.tables.contains(where: { $0.name.lowercased() == table.name.lowercased() }) else {
                let names = probe.tables.map(\.name).sorted().joined(separator: ", ")
                throw DaemonFailure(
                    .invalidRequest, "there is no table \(table.name.prefix(255))", path: path,
                    advice: names.isEmpty ? "The file has no tables." : "It has: \(names).")
            }
            named[table.name.lowercased()] = table
        }
        let tables = probe.tables.compactMap { found -> SharedSchema.Table? in
            guard let table = named[found.name.lowercased()] else {
                return request.sharesAll ? SharedSchema.Table(found.name) : nil
            }
            return SharedSchema.Table(
                found.name, unify: table.unify, counters: table.counters, sets: table.sets, conflicts: table.conflicts)
        }
        guard !tables.isEmpty else {
            throw DaemonFailure(
                .invalidRequest, "the file has no tables to share", path: path, advice: "Make its tables first.")
        }
        return tables
    }

    private func identifier(
        _ request: AttachDatabaseRequest, _ folder: CloudFolder
    ) throws(DaemonFailure) -> String {
        let found = folder.identifiers()
        if let wanted = request.identifier {
            guard found.contains(wanted) else {
                throw DaemonFailure(
                    .notFound,
                    "the cloud has no shared database \(request.name) with the identifier \(wanted.prefix(64))",
                    advice: found.isEmpty
                        ? "`ubiquity database list` lists them." : "It has: \(found.joined(separator: ", ")).")
            }
            return wanted
        }
        guard found.count <= 1 else {
            throw DaemonFailure(
                .conflict, "several devices shared a database \(request.name): \(found.joined(separator: ", "))",
                advice: "Choose one with --identifier.")
        }
        guard let identifier = found.first else {
            let names = CloudFolder.databases(mount: mount, container: folder.id.container).joined(separator: ", ")
            throw DaemonFailure(
                .notFound, "the cloud has no shared database \(request.name) in \(folder.id.container)",
                advice: names.isEmpty
                    ? "Share it on another device first, and wait until both have synced." : "It has: \(names).")
        }
        return identifier
    }

    private func requireSharable(_ path: String, _ tables: [SharedSchema.Table]) throws(DaemonFailure) {
        do { try UbiquitousDatabase.checkTables(path: path, tables.map(\.declaration)) } catch {
            guard case UbiquitousDatabaseError.unsharable(let table, let reason) = error else {
                throw failure(error, path)
            }
            throw unsharable(
                table, reason, path, "Change the table or its declarations, or name the tables to share with --table.")
        }
    }

    private func unsharable(_ table: String, _ reason: String, _ path: String, _ advice: String) -> DaemonFailure {
        DaemonFailure(.conflict, "the table \(table) cannot be shared: \(reason)", path: path, advice: advice)
    }

    private func requireNoRows(_ path: String, _ probe: SharingProbe, _ schema: SharedSchema) throws {
        let shared = Set(schema.tables.map { $0.name.lowercased() })
        let present = probe.tables.map(\.name).filter { shared.contains($0.lowercased()) }
        guard try failing(path, { try UbiquitousDatabase.hasRows(path: path, tables: present) }) else { return }
        throw DaemonFailure(
            .conflict, "the file has rows already", path: path,
            advice:
                "They would be edits of this device, newer than those of all others. Choose an empty file, or send them with --send-rows."
        )
    }

    // MARK: Failures

    private func failing<T>(_ path: String, _ body: () throws -> T) throws(DaemonFailure) -> T {
        do { return try body() } catch { throw failure(error, path) }
    }

    func failure(_ error: any Error, _ path: String) -> DaemonFailure {
        if let failure = error as? DaemonFailure { return failure }
        let failure = SharingFailure(error)
        let code: DaemonFailure.Code = failure.retry == .later ? .failed : .conflict
        return DaemonFailure(code, failure.message, path: path, advice: failure.advice)
    }
}
