package import CloudModel
package import Records

/// The files of transactions that the log has.
package protocol RecordSource: Sendable {
    /// Returns files of all devices with the versions that the log gave to them: every file of the log up to some entry, but at least those
    /// of each device that follow its number in `folded`.
    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place]
    /// Returns the bytes of a file that ``files(after:)`` returned. May wait for a download.
    func read(_ file: RecordFileOrder.Place) throws -> [UInt8]
}
