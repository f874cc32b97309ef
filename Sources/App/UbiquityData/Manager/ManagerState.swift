import Basics
import Foundation

/// A move between local and shared. It is stored before the first step, and removed after the last.
struct DatabaseMove: Codable, Hashable, Sendable {
    /// Package names.
    let source: String
    let target: String
    /// Whether the target becomes shared again, with a new identifier.
    let returns: Bool

    init(_ source: PackageName, _ target: PackageName, returns: Bool = false) {
        (self.source, self.target, self.returns) = (source.description, target.description, returns)
    }

    /// Nil if the stored names are invalid.
    var names: (source: PackageName, target: PackageName)? {
        guard let source = PackageName(source), let target = PackageName(target),
            source.isShared != target.isShared
        else { return nil }
        return (source, target)
    }
}

/// A manager's decisions not carried out yet. Everything else follows from the folders.
struct ManagerState: Codable, Hashable, Sendable {
    var preference = CloudPreference()
    /// In sequence; only the first may have begun.
    var moves: [DatabaseMove] = []
    /// Names of shared packages leaving this device once the log has all of their transactions.
    var drops: Set<String> = []
    /// Titles of databases common to all devices.
    var libraries: Set<String> = []

    init() {}

    /// - Throws: ``UbiquitousDatabaseError/damaged(path:what:)``.
    init(readingFrom path: String) throws {
        self.init()
        guard FileManager.default.fileExists(atPath: path) else { return }
        let data = try Data(contentsOf: URL(filePath: path))
        do { self = try JSONDecoder().decode(ManagerState.self, from: data) } catch {
            throw UbiquitousDatabaseManagerError.damagedState(path: path)
        }
    }

    func store(at path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try DurableFile(path).replace(with: Array(encoder.encode(self)))
    }

    /// Names of documents being moved.
    var moving: Set<PackageName> {
        Set(moves.compactMap(\.names).flatMap { [$0.source, $0.target] })
    }
}
