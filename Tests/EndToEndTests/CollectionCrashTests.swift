import Basics
import Chunking
import CloudModel
import CloudProtocol
import CloudStorage
import ContainerLog
import Foundation
import Glibc
import HTTPCloud
import Logging
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Crashes during collection")
    struct CollectionCrashTests {
        @Test(
            "kill -9 of a collection, and of the server beside it, never loses a needed chunk or leaves a row without its file"
        )
        func killed() async throws {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed \(seed)")
            var random = SeededGenerator(seed: seed)
            try await ServerProcess.with { server in
                let device = try await signIn(at: server)
                _ = try await device.connect(create: true)
                try await device.createContainer(.cloudDocs)
                var documents: [OutgoingChunk] = []
                for round in UInt64(1)...6 {
                    let (needed, garbage) = (chunks(20, &random), chunks(200, &random))
                    try await device.putChunks(needed + garbage, in: .cloudDocs)
                    _ = try await device.append(tell(of: needed, round, &random), to: .cloudDocs)
                    documents += needed
                    try age(server)
                    let collection = try server.begin(["collect"], output: Pipe())
                    // The collection is killed after an amount of work, not a time, so that it is also killed in the
                    // middle on a slow machine.
                    for chunk in garbage.shuffled(using: &random).prefix(random.number(0..<60)) {
                        try await device.putChunk(chunk.id, frame: chunk.frame, in: .cloudDocs)
                    }
                    kill(collection.processIdentifier, SIGKILL)
                    collection.waitUntilExit()
                    if random.chance(50) {
                        server.crash()
                        try server.start()
                    }
                    try await expectWhole(device, documents, garbage)
                }
                try age(server)
                let report = try server.command(["collect"])
                #expect(report.contains("Collected"))
                try await expectWhole(device, documents, [])
            }
        }

        private func chunks(_ count: Int, _ random: inout SeededGenerator) -> [OutgoingChunk] {
            (0..<count).map { _ in
                let bytes = random.bytes(200)
                return OutgoingChunk(id: Digest.of(bytes), frame: ChunkFrame.encode(bytes))
            }
        }

        private func tell(of chunks: [OutgoingChunk], _ round: UInt64, _ random: inout SeededGenerator) throws
            -> [UInt8]
        {
            let attributes = ItemAttributes(permissions: 0o644, modified: .zero, created: .zero)
            let changes = try chunks.map { chunk -> Change in
                let id = ItemID.random(using: &random)
                let content = ContentReference(digest: chunk.id, size: 200, layout: .chunk)
                return .create(
                    id, parent: .documents, name: try ItemName("\(id)"), attributes: attributes,
                    body: .file(.stored(content)))
            }
            return try ChangeBatch(
                device: DeviceID(1), deviceName: "test", deviceSequence: round, time: .zero, changes: changes
            ).encoded()
        }

        /// Ages all chunks as if uploaded long ago.
        private func age(_ server: ServerProcess) throws {
            let process = try Process.run(
                URL(filePath: "/usr/bin/sqlite3"),
                arguments: ["-cmd", ".timeout 10000", "\(server.data)/server.sqlite", "UPDATE chunk SET touched = 0"])
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        /// Checks that every chunk in the log and every chunk reported by the server exists.
        private func expectWhole(
            _ device: HTTPBackend, _ documents: [OutgoingChunk], _ others: [OutgoingChunk]
        ) async throws {
            #expect(try await device.missing(documents.map(\.id), in: .cloudDocs).isEmpty)
            let missing = try await device.missing(others.map(\.id), in: .cloudDocs)
            for chunk in documents + others where !missing.contains(chunk.id) {
                let found = try await device.getChunk(chunk.id, in: .cloudDocs)
                #expect(found == chunk.frame)
            }
        }

        private func signIn(at server: ServerProcess) async throws -> HTTPBackend {
            let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let address = try ServerAddress(server.url)
            let connection = ServerConnection(address: address, logger: quiet) { nil }
            let token = try await connection.signIn(code: server.code(), device: "test").token
            return HTTPBackend(address: address, logger: quiet) { token }
        }
    }
}
