import Basics
import CloudModel
import CloudProtocol
import Foundation
import Logging
import ServerStorage
import Synchronization
import Testing

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A clock set by a test.
final class SettableTime: TimeSource {
    private let state = Mutex(Timestamp(seconds: 1_800_000_000))
    func now() -> Timestamp { state.withLock { $0 } }
    func advance(by duration: Duration) { state.withLock { $0 = $0.adding(duration) } }
}

/// Runs `body` with the path of a new directory, and removes it afterwards.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let path = "\(NSTemporaryDirectory())/server-storage-\(UUID().uuidString)"
    defer {
        try? FileManager.default.removeItem(atPath: path)
        do { try ServerPlace.release(path) } catch { Issue.record(error) }
    }
    try await body(path)
}

func withStore(
    at path: String, time: any TimeSource = SystemTime(), _ body: (ServerStore) async throws -> Void
) async throws {
    let store = try openStore(at: path, time: time)
    do { try await body(store) } catch {
        try await store.close()
        throw error
    }
    try await store.close()
}

func withStore(time: any TimeSource = SystemTime(), _ body: (ServerStore) async throws -> Void) async throws {
    try await withFolder { try await withStore(at: $0, time: time, body) }
}

extension ServerStore {
    /// Creates an account with one container and a device.
    func newAccount(_ name: String, quota: UInt64? = nil) async throws -> AccountID {
        try await accounts.add(name, quota: quota)
        let answer = try await devices.signIn(code: accounts.addCode(for: name), device: "test")
        guard let token = DeviceToken(answer.token), let device = try await devices.device(with: token) else {
            throw NoDevice()
        }
        _ = try await accounts.makeCloud(of: device.account)
        try await logs.createContainer(.cloudDocs, of: device.account)
        return device.account
    }
}

struct NoDevice: Error {}

func part(_ number: UInt64, _ bytes: [UInt8]) -> ChunkBatch.Part {
    ChunkBatch.Part(id: ChunkID(words: (number << 56, number, 0, 0)), frame: bytes)
}

/// Returns the path of the folded log in a data directory with one container.
func foldedFile(in path: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(path)/folded")
    guard let name = names.first(where: { $0.hasSuffix(".sqlite") }) else { throw CocoaError(.fileNoSuchFile) }
    return "\(path)/folded/\(name)"
}
