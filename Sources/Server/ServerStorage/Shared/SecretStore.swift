import Basics
import Foundation

/// Secrets of the server itself, such as keys for signing data sent to browsers. A secret is created on first use, and
/// is the same for all processes sharing the database.
struct SecretStore: NounStore {
    enum Name: String {
        /// Signs challenges for passkeys.
        case challenges
        /// Gives access to the metrics of a cluster.
        case metrics
    }

    private static let byteCount = 32

    let database: any StorageDatabase
    let time: any TimeSource

    /// Returns a secret of 32 random bytes.
    func value(_ name: Name) async throws -> [UInt8] {
        if let known = try await database.read({ try Self.stored(name, $0) }) { return Array(known) }
        var random = SystemRandomNumberGenerator()
        let value = Data((0..<Self.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
        return try await database.commit(.statement) { db in
            // A concurrent process may create it at the same moment; the first row stays.
            try db.execute(
                "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", [name.rawValue, value])
            guard let stored = try Self.stored(name, db) else {
                throw StorageError(.failed, "A secret of the server could not be stored; try again.")
            }
            return Array(stored)
        }
    }

    private static func stored(_ name: Name, _ db: any StorageTransaction) throws -> Data? {
        try db.value(Data.self, "SELECT value FROM secret WHERE name = ?", [name.rawValue])
    }

    /// Removes all secrets, so that everything signed with them is invalid.
    static func removeAll(_ db: any StorageTransaction) throws { try db.execute("DELETE FROM secret") }
}
