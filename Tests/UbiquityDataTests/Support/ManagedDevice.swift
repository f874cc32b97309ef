import CloudModel
import Foundation
import GRDB
import Synchronization
import TestSupport

@testable import UbiquityData

/// A device with a manager. Its clock stands still, and its folder observers fire on the test's command.
final class ManagedDevice: Sendable {
    /// The device dies at a step.
    struct Death: Error {}

    private struct State {
        var isSignedIn = true
        /// How many steps are left until the device dies; nil for never.
        var steps: Int?
    }

    let name: String
    let mount: TestMount
    let folder: URL
    let schema: UbiquitousDatabaseSchema
    let recorder = EventRecorder()
    let time = TestTime()
    private let state = Mutex(State())
    private let current = Mutex<UbiquitousDatabaseManager?>(nil)

    init(_ name: String, _ container: TestContainer, in data: DataFolder, schema: UbiquitousDatabaseSchema) throws {
        self.name = name
        self.schema = schema
        mount = try TestMount(container, at: "\(data.path)/\(name) mount")
        folder = URL(filePath: "\(data.path)/\(name)")
        try restart()
    }

    var manager: UbiquitousDatabaseManager {
        guard let manager = current.withLock({ $0 }) else { preconditionFailure("restart() makes one") }
        return manager
    }

    /// A new process starts; the earlier process's memory is gone.
    func restart() throws {
        // A dying process's connections end with it.
        try? current.withLock { $0 }?.stop()
        let manager = try makeManager()
        current.withLock { $0 = manager }
    }

    func makeManager() throws -> UbiquitousDatabaseManager {
        let manager = try UbiquitousDatabaseManager(folder: folder, schema: schema, environment: environment) {
            [weak self] in self?.cloud
        }
        manager.delegate = recorder
        return manager
    }

    var environment: SyncEnvironment {
        SyncEnvironment(
            now: { [time] in time.now }, after: { [time] in time.plan($0, $1) },
            observer: { [time] in TestObserver(time, $0) },
            version: { [mount] in mount.version($0) },
            step: { [weak self] _ in try self?.step() })
    }

    private var cloud: UbiquitousDatabaseCloud? {
        guard state.withLock({ $0.isSignedIn }) else { return nil }
        return UbiquitousDatabaseCloud(container: URL(filePath: mount.path), account: "account")
    }

    func signIn(_ isSignedIn: Bool) { state.withLock { $0.isSignedIn = isSignedIn } }

    private func step() throws {
        try state.withLock { state in
            guard let steps = state.steps else { return }
            guard steps > 0 else { throw Death() }
            state.steps = steps - 1
        }
    }

    /// Runs something on a device that dies at one of its next steps, and restarts it. Returns whether it died.
    func dying(after steps: Int, _ body: () throws -> Void) throws -> Bool {
        state.withLock { $0.steps = steps }
        do { try body() } catch is Death {
            // Found below, because most of the work reports its errors.
        }
        manager.buildQueue.sync {}
        let isDead = state.withLock { state in
            defer { state.steps = nil }
            return state.steps == 0
        }
        try restart()
        return isDead
    }

    /// Follows the cloud once, including all necessary builds.
    func follow() throws {
        try mount.receive()
        try manager.refresh()
        manager.buildQueue.sync {}
        try mount.send()
    }

    // MARK: Databases

    func info(_ title: String) throws -> UbiquitousDatabaseInfo? { try manager.databases().first { $0.title == title } }

    /// A database's location, such as "Ledger current".
    func list() throws -> [String] { try manager.databases().map { "\($0.title) \($0.state)" } }

    func withDocument<T>(_ title: String, _ body: (UbiquitousDatabaseDocument) throws -> T) throws -> T {
        guard let info = try info(title) else { throw UbiquitousDatabaseManagerError.notFound(title: title) }
        let document = try manager.open(info)
        document.drain()
        let result = try body(document)
        document.drain()
        try document.close()
        return result
    }

    func execute(_ title: String, _ sql: String) throws {
        try withDocument(title) { try $0.write { try $0.execute(sql: sql) } }
    }

    func rows(_ title: String) throws -> [String] {
        try withDocument(title) { document in
            try document.reader.read { try String.fetchAll($0, sql: "SELECT id || ' ' || text FROM note ORDER BY id") }
        }
    }

    /// The manager's folder, without the documents' files.
    func folders() throws -> [String] {
        try DocumentFolder.Place.allCases.flatMap { place in
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(place.rawValue)").sorted().map {
                "\(place.rawValue)/\($0)"
            }
        }
    }
}

extension UbiquitousDatabaseSchema {
    /// A table of notes.
    static func notes(
        _ device: String, seed: (@Sendable (Database) throws -> Void)? = nil,
        rules: UbiquitousDatabaseRules = UbiquitousDatabaseRules()
    ) -> UbiquitousDatabaseSchema {
        UbiquitousDatabaseSchema(
            tables: [UbiquitousTable("note", conflicts: ["choice"])], deviceName: device, rules: rules, seed: seed
        ) { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS note(id TEXT PRIMARY KEY NOT NULL, text, choice, name TEXT UNIQUE);
                        CREATE TABLE IF NOT EXISTS window(id INTEGER PRIMARY KEY, place TEXT);
                        """)
            }
        }
    }
}

/// Time advanced only by the test.
final class TestTime: Sendable {
    private struct Call {
        let time: Duration
        let body: @Sendable () -> Void
    }

    private struct State {
        var now = Duration.zero
        var calls: [Call] = []
        var observers: [TestObserver] = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }

    func plan(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.calls.append(Call(time: $0.now + delay, body: body)) }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let now = state.now
            defer { state.calls.removeAll { $0.time <= now } }
            return state.calls.filter { $0.time <= now }
        }
        for call in due { call.body() }
    }

    fileprivate func add(_ observer: TestObserver) { state.withLock { $0.observers.append(observer) } }

    /// Notifies the observers of folders below a path.
    func fire(below path: String) {
        for observer in state.withLock({ $0.observers }) { observer.fire(below: path) }
    }
}

final class TestObserver: FolderObserving {
    private let folders = Mutex<[String]>([])
    private let onChange: @Sendable () -> Void

    init(_ time: TestTime, _ onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
        time.add(self)
    }

    func observe(_ folders: [String]) { self.folders.withLock { $0 = folders } }
    func stop() { folders.withLock { $0 = [] } }

    fileprivate func fire(below path: String) {
        if folders.withLock({ $0.contains { $0.hasPrefix(path) } }) { onChange() }
    }
}

/// Collects a manager's reports.
final class EventRecorder: UbiquitousDatabaseManagerDelegate {
    private let lines = Mutex<[String]>([])

    private func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns the reports since the last call.
    func take(_ device: ManagedDevice) -> [String] {
        device.manager.drainEvents()
        return lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    func manager(_ manager: UbiquitousDatabaseManager, asks question: UbiquitousCloudQuestion) {
        add("asks \(question)")
    }
    func manager(
        _ manager: UbiquitousDatabaseManager, fileMigrated database: UbiquitousDatabaseInfo, error: (any Error)?
    ) { add("migrated \(database.title) \(database.isShared ? "shared" : "local")\(error.map { " \($0)" } ?? "")") }
    func manager(_ manager: UbiquitousDatabaseManager, didAdd database: UbiquitousDatabaseInfo) {
        add("added \(database.title)")
    }
    func manager(_ manager: UbiquitousDatabaseManager, didRemove database: UbiquitousDatabaseInfo) {
        add("removed \(database.title)")
    }
    func manager(_ manager: UbiquitousDatabaseManager, didKeep database: UbiquitousKeptDatabase) {
        add("kept \(database.title)")
    }
    func manager(_ manager: UbiquitousDatabaseManager, cloudIsReachable: Bool) { add("reachable \(cloudIsReachable)") }
    func manager(_ manager: UbiquitousDatabaseManager, didFail error: any Error, for database: UbiquitousDatabaseInfo?)
    { add("failed \(database?.title ?? "") \(error)") }
    func document(_ document: UbiquitousDatabaseDocument, didImport changes: UbiquitousChanges?) {
        add("changed \(document.title) \(changes.map { "\($0.rows.count)" } ?? "elsewhere")")
    }
}
