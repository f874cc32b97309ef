import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import HTTPCloud

/// Checks that an account's log and chunks are exactly those acknowledged by the server to its devices.
struct LoadProof {
    /// The differences, in entries and chunks.
    struct Differences {
        /// Acknowledged entries missing at the position returned by the server.
        var lost = 0
        /// Repeated entries in the log. Each append has a unique payload, so an append was carried out twice.
        var repeated = 0
        /// Acknowledged chunks missing, or with wrong bytes.
        var lostChunks = 0

        var areNone: Bool { lost == 0 && repeated == 0 && lostChunks == 0 }

        static func += (sum: inout Differences, other: Differences) {
            sum.lost += other.lost
            sum.repeated += other.repeated
            sum.lostChunks += other.lostChunks
        }
    }

    private let devices: ArraySlice<LoadDevice>

    init(_ devices: ArraySlice<LoadDevice>) { self.devices = devices }

    func differences() async throws -> Differences {
        var differences = Differences()
        guard let reader = devices.first else { return differences }
        try await compareEntries(reader.backend, &differences)
        for id in devices.flatMap(\.storedChunks) {
            if try await !isStored(id, reader.backend) { differences.lostChunks += 1 }
        }
        return differences
    }

    private func compareEntries(_ backend: HTTPBackend, _ differences: inout Differences) async throws {
        var claims = devices.reduce(into: [LogSequence: [UInt8]]()) { all, device in
            all.merge(device.claims) { first, _ in first }
        }
        // If two entries were acknowledged at one sequence, one of them is lost.
        differences.lost = devices.reduce(0) { $0 + $1.claims.count } - claims.count
        var cursor = LogPosition.start
        var known: Set<[UInt8]> = []
        while true {
            let records = try await backend.entries(in: .cloudDocs, after: cursor, limit: 1_024)
            guard let last = records.last else { break }
            for record in records {
                if !known.insert(record.payload).inserted { differences.repeated += 1 }
                if claims[record.sequence] == record.payload { claims[record.sequence] = nil }
            }
            cursor = last.position
        }
        differences.lost += claims.count
    }

    private func isStored(_ id: ChunkID, _ backend: HTTPBackend) async throws -> Bool {
        do {
            let frame = try await backend.getChunk(id, in: .cloudDocs)
            _ = try ChunkFrame.decode(frame, expecting: id)
            return true
        } catch let error as CloudError where error.code == .notFound { return false } catch is ChunkError {
            return false
        }
    }
}
