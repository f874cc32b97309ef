import Basics
import Foundation

/// A document that becomes a shared one, or one of this device only. It is stored before the first step, and removed after the last.
struct DatabaseMove: Codable, Hashable, Sendable {
    /// Names of packages.
    let source: String
    let target: String
    /// Whether the target becomes a shared one again, with another identifier.
    let returns: Bool

    init(_ source: PackageName, _ target: PackageName, returns: Bool = false) {
        (self.source, self.target, self.returns) = (source.description, target.description, returns)
    }

    /// Nil if the stored names are none.
    var names: (source: PackageName, target: PackageName)? {
        guard let source = PackageName(source), let target = PackageName(target),
            source.isShared != target.isShared
        else { return nil }
        return (source, target)
    }
}

/// What a manager has decided and not carried out yet. All else follows from the folders.
struct ManagerState: Codable, Hashable, Sendable {
    var preference = CloudPreference()
    /// One after another; only the first may have begun.
    var moves: [DatabaseMove] = []
    /// Names of shared packages that leave this device once the log has all of their transactions.
    var drops: Set<String> = []
    /// Titles of databases that are one and the same on all devices.
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

    /// The names of documents that are being moved.
    var moving: Set<PackageName> {
        Set(moves.compactMap(\.names).flatMap { [$0.source, $0.target] })
    }
}
