import CloudModel
import Records

/// Files of transactions up to some entry of the log, read until the work is cancelled.
struct LimitedRecords: RecordSource, RecordOutlet {
    let folder: RecordFolder
    /// Nil for all.
    let limit: VersionID?
    let isCancelled: @Sendable () -> Bool

    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place] {
        let files = try folder.files(after: folded)
        guard let limit else { return files }
        return files.filter { $0.version < limit }
    }

    func read(_ file: RecordFileOrder.Place) throws -> [UInt8] {
        guard !isCancelled() else { throw CancellationError() }
        return try folder.read(file)
    }

    func write(_ bytes: [UInt8], number: UInt64) throws {
        guard !isCancelled() else { throw CancellationError() }
        try folder.write(bytes, number: number)
    }
}
