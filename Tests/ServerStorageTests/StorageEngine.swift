import Foundation
import ServerStorage
import ServerSupport
import Synchronization
import Testing

/// The database engine of ``withStore(at:time:_:)``.
enum StorageEngine: String, CaseIterable {
    case sqlite, postgres

    @TaskLocal static var current = StorageEngine.sqlite
}

/// Runs each test of a suite on every engine. The issues name the engine.
struct EachEngine: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let isOfFile = test.traits.contains { $0 is SQLiteFileOnly }
        for engine in isOfFile ? [.sqlite] : StorageEngine.allCases {
            await StorageEngine.$current.withValue(engine) {
                do { try await function() } catch {
                    Issue.record(error, "with the engine \(engine)")
                }
            }
        }
    }
}

/// A test that opens, damages or needs SQLite's file.
struct SQLiteFileOnly: TestTrait {}

extension Trait where Self == EachEngine {
    static var eachEngine: EachEngine { EachEngine() }
}

extension Trait where Self == SQLiteFileOnly {
    static var sqliteFileOnly: SQLiteFileOnly { SQLiteFileOnly() }
}

/// The PostgreSQL databases of the tests' folders.
private let databases = Mutex<[String: PostgresAddress]>([:])

extension ServerPlace {
    /// The place of a test: a folder, with its rows where the engine keeps them.
    static func test(_ path: String) throws -> ServerPlace {
        guard StorageEngine.current == .postgres else { return ServerPlace(directory: path) }
        return try databases.withLock { databases in
            let address = try databases[path] ?? TestPostgres.shared().takeDatabase()
            databases[path] = address
            return ServerPlace(directory: path, database: address)
        }
    }

    /// Lets other tests use a folder's databases, and those of its subfolders.
    static func release(_ folder: String) throws {
        let addresses = databases.withLock { databases in
            let paths = databases.keys.filter { $0 == folder || $0.hasPrefix("\(folder)/") }
            return paths.compactMap { databases.removeValue(forKey: $0) }
        }
        for address in addresses { try TestPostgres.shared().giveBack(address) }
    }
}
