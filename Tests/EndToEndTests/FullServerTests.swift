import CloudModel
import CloudProtocol
import CloudStorage
import Foundation
import HTTPCloud
import Logging
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A server whose disk is full")
    struct FullServerTests {
        @Test(
            "a full server says so, keeps all that it acknowledged, also over a kill, and continues once there is space",
            .needsRoot)
        func full() async throws {
            let folder = "\(NSTemporaryDirectory())/ubq-full-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let runner = ProgramRunner(environment: [:]) {}
            try await runner.run("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], in: "/").text()
            defer { _ = try? Process.run(URL(filePath: "/bin/umount"), arguments: ["-l", folder]).waitUntilExit() }
            try Data(repeating: 1, count: 4 << 20).write(to: URL(filePath: "\(folder)/filler"))
            let server = try ServerProcess(data: "\(folder)/data")
            defer { server.close() }
            try server.start()
            _ = try server.command(["account", "add", "anna"])
            let device = try await signedIn(at: server)
            let kept = try await fill(device)
            #expect(kept.chunks.count > 5)
            server.crash()
            try server.start()
            try await expectKept(kept, device)
            try FileManager.default.removeItem(atPath: "\(folder)/filler")
            let (id, frame) = chunk(9_999)
            try await device.putChunk(id, frame: frame, in: .cloudDocs)
            #expect(try await device.append([9, 9], to: .cloudDocs).value > 0)
            try await expectKept(kept, device)
        }

        private func chunk(_ number: UInt64) -> (ChunkID, [UInt8]) {
            (ChunkID(words: (number << 48, number, 0, 0)), [UInt8](repeating: UInt8(number % 251), count: 1 << 20))
        }

        /// Fills the server until it reports that it is full, and returns everything acknowledged before.
        private func fill(_ device: HTTPBackend) async throws -> (chunks: [UInt64], entries: [LogSequence]) {
            var (chunks, entries): ([UInt64], [LogSequence]) = ([], [])
            for number in UInt64(1)..<40 {
                do {
                    let (id, frame) = chunk(number)
                    try await device.putChunk(id, frame: frame, in: .cloudDocs)
                    chunks.append(number)
                    entries.append(try await device.append([UInt8(number)], to: .cloudDocs))
                } catch let error as CloudError {
                    #expect(error.code == .quota, "\(error)")
                    return (chunks, entries)
                }
            }
            Issue.record("a disk of 24 MiB took 40")
            return (chunks, entries)
        }

        private func expectKept(
            _ kept: (chunks: [UInt64], entries: [LogSequence]), _ device: HTTPBackend
        ) async throws {
            for number in kept.chunks {
                let (id, frame) = chunk(number)
                let found = try await device.getChunk(id, in: .cloudDocs)
                #expect(found == frame)
            }
            let log = try await device.wholeLog(of: .cloudDocs)
            #expect(Set(log.map(\.sequence)).isSuperset(of: kept.entries))
        }

        private func signedIn(at server: ServerProcess) async throws -> HTTPBackend {
            let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let address = try ServerAddress(server.url)
            let connection = ServerConnection(address: address, logger: quiet) { nil }
            let token = try await connection.signIn(code: server.code(), device: "test").token
            let backend = HTTPBackend(address: address, logger: quiet) { token }
            _ = try await backend.connect(create: true)
            try await backend.createContainer(.cloudDocs)
            return backend
        }
    }
}
