package import CloudModel
package import Records

/// The log's transaction files and baselines.
package protocol RecordSource: Sendable {
    /// Returns files of all devices with their versions in the log: every file of the log up to some entry, but at
    /// least each device's files after its number in `folded`. Files removed from the log are missing.
    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place]
    /// Returns the bytes of a file from ``files(after:)``. May wait for a download.
    func read(_ file: RecordFileOrder.Place) throws -> [UInt8]

    /// Returns baselines whose heads are in the log. A file is removed from the log only after a baseline covering it
    /// was complete there, so a call after ``files(after:)`` finds that baseline.
    func baselines() throws -> [ListedBaseline]
    /// Returns the bytes of a baseline's part, or of its head if `part` is nil. May wait for a download.
    func read(_ part: Int?, of baseline: RecordBaseline.Name) throws -> [UInt8]

    /// Returns the last log entry read by this device, if it has read to the end of an unchanged log; nil if missing
    /// entries may still arrive, or if the place does not know.
    func followed() throws -> LogSequence?
    /// Returns the files' versions in the log, omitting missing files; nil if the log has nothing of the database.
    func versions(of files: [RecordFileOrder.Place]) throws -> [DeviceID: VersionID]?
}

/// A place where nothing is ever missing.
extension RecordSource {
    package func followed() throws -> LogSequence? { nil }
    package func versions(of files: [RecordFileOrder.Place]) throws -> [DeviceID: VersionID]? { nil }
}
