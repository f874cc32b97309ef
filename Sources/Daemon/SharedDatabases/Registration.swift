import Basics
import DaemonProtocol
import FoundationEssentials
import Records
import Synchronization

/// A local file belonging to a shared database.
struct Registration: Codable, Hashable, Sendable {
    /// Distinguishes a device's databases.
    struct Name: Hashable, Sendable {
        let container: String
        let name: String
    }

    let name: String
    /// The name of the container's folder in the mount.
    let container: String
    /// The absolute path of the file, without symbolic links.
    let path: String
    let identifier: String
    /// The shared tables with their declarations, and without statements.
    var tables: [SharedSchema.Table]
    /// Whether the program's new tables are shared too.
    let sharesAll: Bool
    /// False until the file has its triggers: then the tables of `schema` are created first.
    var isComplete = false
    /// True while sharing ends: a plain file is then this device's work, not a replacement by someone else. Nil: false.
    var isEnding: Bool?
    /// The cloud's tables from this device; until `isComplete`, the tables to create.
    var schema: SharedSchema?
    /// The version of the rules of the tables (`TableRules.version`).
    var version: UInt64
    /// The journal mode of the file before it was shared.
    var journalMode: String

    var id: Name { Name(container: container, name: name) }
}

/// The registrations of a device, in a file of its state directory. Each change is durable when the method returns.
final class Registry: Sendable {
    /// More files than this are refused: each has a thread.
    static let maximumCount = 64
    private static let format = 1
    private static let maximumBytes = 16 << 20

    private struct Document: Codable {
        let format: Int
        var databases: [Registration]
    }

    private let path: String
    private let state: Mutex<Result<[Registration], DaemonFailure>>

    init(stateDirectory: String) {
        path = "\(stateDirectory)/databases.json"
        state = Mutex(Self.load(path))
    }

    /// Decodes the file's bytes.
    static func decode(_ bytes: [UInt8], path: String) throws(DaemonFailure) -> [Registration] {
        struct Header: Decodable { let format: Int }
        let data = Data(bytes)
        do {
            guard try JSONDecoder().decode(Header.self, from: data).format <= format else {
                throw DaemonFailure(
                    .versionMismatch, "a newer version of ubiquity wrote the list of shared databases", path: path,
                    advice: "Install a newer version. Nothing was changed.")
            }
            return try JSONDecoder().decode(Document.self, from: data).databases
        } catch let failure as DaemonFailure { throw failure } catch {
            throw DaemonFailure(
                .damaged, "the list of shared databases is damaged", path: path,
                advice: "Move it away, start the mount again, and attach each file again; the files keep all they have."
            )
        }
    }

    private static func load(_ path: String) -> Result<[Registration], DaemonFailure> {
        do throws(DaemonFailure) {
            guard let bytes = try SmallFile.read(path, limit: maximumBytes) else { return .success([]) }
            return .success(try decode(bytes, path: path))
        } catch { return .failure(error) }
    }

    /// - Throws: Why the file could not be read; it is not written then either.
    var all: [Registration] { get throws(DaemonFailure) { try state.withLock { $0 }.get() } }

    func find(_ id: Registration.Name) -> Registration? {
        // An unreadable list has no registration to work on; `all` reports why.
        (try? state.withLock { $0 }.get())?.first { $0.id == id }
    }

    func add(_ registration: Registration) throws {
        try change { $0.append(registration) }
    }

    func remove(_ id: Registration.Name) throws {
        try change { $0.removeAll { $0.id == id } }
    }

    func update(_ registration: Registration) throws {
        try change { list in
            guard let place = list.firstIndex(where: { $0.id == registration.id }) else { return }
            list[place] = registration
        }
    }

    private func change(_ body: (inout [Registration]) -> Void) throws {
        try state.withLock { state in
            var list = try state.get()
            body(&list)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            let bytes = Array(try encoder.encode(Document(format: Self.format, databases: list)))
            try DurableFile(path).replace(with: bytes)
            state = .success(list)
        }
    }
}
