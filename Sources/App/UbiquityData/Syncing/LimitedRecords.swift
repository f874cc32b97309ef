import CloudModel
import Records

/// Transaction files and baselines up to some log entry, read until the work is cancelled.
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

    /// Includes those from the limit on: files may have been removed because of them, and a gap would go unnoticed
    /// without them.
    func baselines() throws -> [ListedBaseline] { try folder.baselines() }

    func read(_ part: Int?, of baseline: RecordBaseline.Name) throws -> [UInt8] {
        guard !isCancelled() else { throw CancellationError() }
        return try folder.read(part, of: baseline)
    }

    /// A database leaving the cloud stays with its log.
    func followed() throws -> LogSequence? { limit == nil ? try folder.followed() : nil }

    func versions(of files: [RecordFileOrder.Place]) throws -> [DeviceID: VersionID]? {
        try folder.versions(of: files)
    }

    func write(_ bytes: [UInt8], number: UInt64) throws {
        guard !isCancelled() else { throw CancellationError() }
        try folder.write(bytes, number: number)
    }

    func hasLost(_ number: UInt64) throws -> Bool { try folder.hasLost(number) }

    func remove(after number: UInt64, of device: DeviceID) throws { try folder.remove(after: number, of: device) }

    func isInBaseline(_ number: UInt64) throws -> Bool { try folder.isInBaseline(number) }

    /// A database leaving the cloud gets no further baseline.
    var takesBaselines: Bool { limit == nil && folder.takesBaselines }

    func write(_ bytes: [UInt8], _ file: BaselineFile) throws {
        guard !isCancelled() else { throw CancellationError() }
        try folder.write(bytes, file)
    }

    func remove(_ files: [DeviceID: UInt64], baselines: [RecordBaseline.Name]) throws {
        guard !isCancelled() else { throw CancellationError() }
        try folder.remove(files, baselines: baselines)
    }
}
