package import CloudModel
package import Records

/// The files of transactions and the baselines that the log has.
package protocol RecordSource: Sendable {
    /// Returns files of all devices with the versions that the log gave to them: every file of the log up to some entry, but at least those
    /// of each device that follow its number in `folded`. Files that were removed from the log are missing.
    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place]
    /// Returns the bytes of a file that ``files(after:)`` returned. May wait for a download.
    func read(_ file: RecordFileOrder.Place) throws -> [UInt8]

    /// Returns the baselines whose heads the log has. A file is removed from the log only after the baseline that stands for it was
    /// complete there, so a call that follows ``files(after:)`` finds that baseline.
    func baselines() throws -> [ListedBaseline]
    /// Returns the bytes of a part of a baseline, or of its head if `part` is nil. May wait for a download.
    func read(_ part: Int?, of baseline: RecordBaseline.Name) throws -> [UInt8]

    /// Returns the last entry of the log that this device has read, if it has read the log to its end and the log is still the one that it has
    /// read; nil if what is missing may still arrive, or if the place does not know.
    func followed() throws -> LogSequence?
    /// Returns the versions that the log gave to files, without those that it does not have; nil if it has nothing of the database.
    func versions(of files: [RecordFileOrder.Place]) throws -> [DeviceID: VersionID]?
}

/// A place where nothing is ever missing.
extension RecordSource {
    package func followed() throws -> LogSequence? { nil }
    package func versions(of files: [RecordFileOrder.Place]) throws -> [DeviceID: VersionID]? { nil }
}
