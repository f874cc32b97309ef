package import CloudModel

/// Decides what the transactions of a shared database mean: every device folds the same files in the same order into
/// the same rows. Pure: it reads and writes only its store, and uses no clock and no randomness. Total: any change has
/// a defined result.
///
/// docs/DATABASES.md has the rules with their reasons.
package struct RecordReducer: Sendable {
    package init() {}

    /// Folds a file at its place in the ``RecordFileOrder``, and returns the rows touched. A file already folded has no
    /// effect. Throws the store's errors, after which the store has to be as before; and ``RecordOrderError``, before
    /// any change.
    package func fold<Store: RecordStore>(
        _ file: RecordFile, at version: VersionID, into store: inout Store
    ) throws -> Set<RowID> {
        let last = try store.lastFile(of: file.device)
        guard file.number > last else { return [] }
        guard file.number - 1 == last else {
            throw RecordOrderError(device: file.deviceName, expected: last + 1, found: file.number)
        }
        var touched: Set<RowID> = []
        for (place, transaction) in file.transactions.enumerated() {
            let position = RecordPosition(
                version: version, file: file.number, place: UInt32(truncatingIfNeeded: place))
            touched.formUnion(try fold(transaction, of: file.device, at: position, into: &store))
        }
        try store.setLastFile(file.number, of: file.device, name: file.deviceName)
        return touched
    }

    /// Folds a transaction, and returns the rows touched. A device also folds its own transactions not yet in the log
    /// this way, after all others, to see its state once they are at the log's end.
    package func fold<Store: RecordStore>(
        _ transaction: RecordTransaction, of device: DeviceID, at position: RecordPosition, into store: inout Store
    ) throws -> Set<RowID> {
        let stamp = RecordStamp(position: position, device: device, time: transaction.time)
        // The store is moved, not copied, so that a store held by value is changed in place.
        var fold = RecordFold(store: consume store, stamp: stamp, base: transaction.base)
        let outcome = Result { try fold.run(transaction) }
        store = fold.store
        try outcome.get()
        return fold.touched
    }
}

/// A file was folded before its predecessor.
package struct RecordOrderError: Error, Hashable, CustomStringConvertible {
    package let device: String
    package let expected: UInt64
    package let found: UInt64

    package var description: String {
        "file \(found) of the transactions of “\(device)” arrived instead of \(expected); read the files again from \(expected)"
    }
}
