package import CloudModel
package import Records

/// The destination of a device's transaction files and baselines.
package protocol RecordOutlet: Sendable {
    /// Writes a file durably. A file of that number with the same bytes stays as it is.
    ///
    /// - Throws: ``UbiquitousDatabaseError/numberTaken(file:)`` if such a file has different bytes.
    func write(_ bytes: [UInt8], number: UInt64) throws

    /// Whether this device's written file of that number is gone: the mount's state is older than the database,
    /// or was rebuilt.
    func hasLost(_ number: UInt64) throws -> Bool

    /// Whether this device's file of that number is missing, and a baseline in the log covers it. A file is removed
    /// only after such a baseline is in the log, so a file the log never had is in none.
    func isInBaseline(_ number: UInt64) throws -> Bool

    /// Removes a device's files after that number, which no device can fold.
    func remove(after number: UInt64, of device: DeviceID) throws

    /// Whether baselines can be written.
    var takesBaselines: Bool { get }
    /// Writes a baseline file, like ``write(_:number:)``.
    func write(_ bytes: [UInt8], _ file: BaselineFile) throws
    /// Removes the files of all devices up to their numbers in `files`, and baselines, each head after its parts.
    /// Missing files are no error.
    func remove(_ files: [DeviceID: UInt64], baselines: [RecordBaseline.Name]) throws
}

/// A place without baselines.
extension RecordOutlet {
    package func hasLost(_ number: UInt64) throws -> Bool { false }
    package func remove(after number: UInt64, of device: DeviceID) throws {}
    package func isInBaseline(_ number: UInt64) throws -> Bool { false }
    package var takesBaselines: Bool { false }
    package func write(_ bytes: [UInt8], _ file: BaselineFile) throws {}
    package func remove(_ files: [DeviceID: UInt64], baselines: [RecordBaseline.Name]) throws {}
}
