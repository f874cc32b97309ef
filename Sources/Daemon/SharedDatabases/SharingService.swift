import Basics
import DaemonProtocol
import Foundation
import Logging
import Records
import Synchronization
import UbiquityData

/// The shared files of a device: a worker for each registration.
final class SharingService: Sendable {
    /// How long lists wait for files' numbers: a disk may not respond.
    private static let patience: Duration = .seconds(2)

    let mount: String
    let deviceName: String
    let registry: Registry
    private let log: Logger
    /// Held while a registration is created or removed: two requests must not choose the same file or name.
    let changing = Mutex(())
    private let workers = Mutex<[Registration.Name: SharingWorker]>([:])

    init(stateDirectory: String, mount: String, deviceName: String, log: Logger) {
        self.mount = mount
        self.deviceName = deviceName
        self.log = log
        registry = Registry(stateDirectory: stateDirectory)
    }

    /// Starts a worker for each registration.
    func start() {
        do { for registration in try registry.all { try keep(registration) } } catch {
            log.error("shared databases are not kept", metadata: ["why": "\(error)"])
        }
    }

    /// Starts a file's worker, replacing its earlier worker.
    func keep(_ registration: Registration) throws {
        try release(registration.id)
        let worker = try SharingWorker(registration, registry, mount: mount, deviceName: deviceName, log: log)
        workers.withLock { $0[registration.id] = worker }
    }

    /// Ends a file's worker, so that the file can be changed.
    func release(_ id: Registration.Name) throws(DaemonFailure) {
        guard let worker = worker(id) else { return }
        guard worker.stop(within: .seconds(20)) else {
            throw DaemonFailure(
                .busy, "the database is being published or imported", advice: "Try again in a moment.")
        }
        workers.withLock { $0[id] = nil }
    }

    func worker(_ id: Registration.Name) -> SharingWorker? { workers.withLock { $0[id] } }

    func cloudChanged() { for worker in workers.withLock({ Array($0.values) }) { worker.cloudChanged() } }

    func folder(_ id: Registration.Name) -> CloudFolder { CloudFolder(mount: mount, id: id) }

    // MARK: Registrations

    /// Returns the registration named by a request.
    ///
    /// - Parameters:
    ///   - name: Nil for the only registration.
    ///   - container: Nil for any.
    func registration(_ name: String?, in container: String?) throws(DaemonFailure) -> Registration {
        let container = container.map(Self.folderName)
        let all = try registry.all
        let found = all.filter { (name == nil || $0.name == name) && (container == nil || $0.container == container) }
        if found.count == 1 { return found[0] }
        let names = all.map(\.name).sorted().joined(separator: ", ")
        if found.isEmpty {
            guard !all.isEmpty else {
                throw DaemonFailure(
                    .notFound, "no database is shared from this device",
                    advice:
                        "Share one with `ubiquity database share`, or attach a file with `ubiquity database attach`.")
            }
            throw DaemonFailure(
                .notFound, "this device has no shared database \(name ?? "") in that container",
                advice: "It has: \(names).")
        }
        throw DaemonFailure(
            .invalidRequest,
            "several databases are meant: \(found.map { "\($0.name) in \($0.container)" }.joined(separator: ", "))",
            advice: "Name one, with its container if the names are equal.")
    }

    /// Returns the name of a container's folder in the mount.
    static func folderName(_ container: String) -> String { container.replacing(".", with: "~") }

    // MARK: Lists

    /// - Parameter isBrief: Whether to return the last rounds' findings, and nothing about the cloud.
    func list(isBrief: Bool = false) throws(DaemonFailure) -> DatabasesResponse {
        let registrations = try registry.all
        let fresh = isBrief ? [:] : probes(registrations.map(\.path))
        let databases = registrations.compactMap { registration in
            worker(registration.id).map { $0.status(registration, fresh: fresh[registration.path]) }
        }
        guard !isBrief else { return DatabasesResponse(databases: databases, available: []) }
        var available: [AvailableDatabase] = []
        for container in CloudFolder.containers(mount: mount) {
            for name in CloudFolder.databases(mount: mount, container: container) {
                let folder = CloudFolder(mount: mount, id: Registration.Name(container: container, name: name))
                for identifier in folder.identifiers() {
                    let tables =
                        folder.schemas(of: identifier, downloads: false).schemas.first?.tables.map(\.name) ?? []
                    available.append(
                        AvailableDatabase(
                            name: name, container: container, identifier: identifier, tables: tables.sorted(),
                            path: registrations.first { $0.identifier == identifier }?.path))
                }
            }
        }
        return DatabasesResponse(databases: databases, available: available)
    }

    func status(_ registration: Registration) -> DatabaseStatus? {
        worker(registration.id)?.status(registration, fresh: probes([registration.path])[registration.path])
    }

    /// Reads files concurrently, each on a separate thread; those not read in time are missing from the results.
    private func probes(_ paths: [String]) -> [String: SharingProbe] {
        let found = Probes()
        let group = DispatchGroup()
        for path in paths {
            group.enter()
            do throws(Errno) {
                try OwnThread.detach("databases") {
                    // An unreadable file has no numbers; its worker reports why.
                    if access(path, F_OK) == 0, let probe = try? SharingProbe(path: path) { found.set(path, probe) }
                    group.leave()
                }
            } catch { group.leave() }
        }
        _ = group.wait(timeout: .now() + .milliseconds(Int(Self.patience / .milliseconds(1))))
        return found.all
    }

    private final class Probes: Sendable {
        private let values = Mutex<[String: SharingProbe]>([:])
        var all: [String: SharingProbe] { values.withLock { $0 } }
        func set(_ path: String, _ probe: SharingProbe) { values.withLock { $0[path] = probe } }
    }
}
