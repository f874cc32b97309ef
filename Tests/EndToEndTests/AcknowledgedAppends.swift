import CloudModel
import CloudProtocol
import CloudStorage
import HTTPCloud
import Logging
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Appends that a server acknowledged")
    struct AcknowledgedAppends {
        @Test(
            "every append that a killed server acknowledged is in its log after the restart, at its position, and once"
        )
        func survive() async throws {
            try await ServerProcess.with { server in
                let device = try await signIn(at: server)
                _ = try await device.connect(create: true)
                try await device.createContainer(.cloudDocs)
                let places = Places()
                for round in UInt8(0)..<3 {
                    // Several writers append at the same time, so that the crash interrupts many commits.
                    await withTaskGroup(of: Void.self) { group in
                        for writer in UInt8(0)..<8 {
                            group.addTask { await append(round, writer, device, server, places) }
                        }
                    }
                    try server.start()
                    let log = try await device.wholeLog(of: .cloudDocs, page: 1_000)
                    #expect(places.count >= Self.appends * (Int(round) + 1))
                    let kept = Dictionary(uniqueKeysWithValues: log.map { ($0.sequence, $0.payload) })
                    #expect(places.all.allSatisfy { place, payload in kept[place] == payload })
                    #expect(Set(log.map(\.payload)).count == log.count)
                }
            }
        }

        /// The number of acknowledged appends in each round before the server is killed.
        private static let appends = 200

        /// Appends until the server is dead; the writer with the round's last acknowledgement kills it.
        private func append(
            _ round: UInt8, _ writer: UInt8, _ device: HTTPBackend, _ server: ServerProcess, _ places: Places
        ) async {
            for number in UInt8(0)...255 {
                let payload = [round, writer, number]
                // An unacknowledged entry may exist or not.
                guard let place = try? await device.append(payload, to: .cloudDocs) else { return }
                if places.add(place, payload) == Self.appends * (Int(round) + 1) { server.crash() }
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

/// The places of the acknowledged entries in the log.
private final class Places: Sendable {
    private let state = Mutex<[LogSequence: [UInt8]]>([:])

    var all: [LogSequence: [UInt8]] { state.withLock { $0 } }
    var count: Int { all.count }

    /// Adds an entry and returns the number of entries.
    func add(_ place: LogSequence, _ payload: [UInt8]) -> Int {
        state.withLock { places in
            places[place] = payload
            return places.count
        }
    }
}
