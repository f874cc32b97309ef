/// Where a device's files of transactions go.
package protocol RecordOutlet: Sendable {
    /// Writes a file durably. A file of that number with the same bytes stays as it is.
    ///
    /// - Throws: ``UbiquitousDatabaseError/numberTaken(file:)`` if there is one with other bytes.
    func write(_ bytes: [UInt8], number: UInt64) throws
}
