package import CloudModel

/// A file of transactions. Only its device writes it, once, so no conflict over it can arise; its number is never used
/// again.
package struct RecordFile: Hashable, Sendable {
    /// Its shared database.
    package var store: ItemID
    package var device: DeviceID
    package var deviceName: String
    /// The device's files count from 1 without gaps.
    package var number: UInt64
    /// At least one, in commit order.
    package var transactions: [RecordTransaction]

    package init(
        store: ItemID, device: DeviceID, deviceName: String, number: UInt64, transactions: [RecordTransaction]
    ) {
        self.store = store
        self.device = device
        self.deviceName = deviceName
        self.number = number
        self.transactions = transactions
    }
}

/// Why a file of transactions was not read or not written.
package enum RecordFileError: Error, Hashable, CustomStringConvertible {
    /// A newer release wrote it.
    case tooNew(format: UInt8, known: UInt8)
    case damaged(String)
    /// A limit of the format is exceeded.
    case tooLarge(String)
    /// The transactions break a rule of the format, such as two changes of the same row.
    case invalid(String)

    /// Whether a newer version of this program can continue.
    package var needsUpdate: Bool { if case .tooNew = self { true } else { false } }

    package var description: String {
        switch self {
        case .tooNew(let format, let known):
            "This database needs a newer version of ubiquity: a file of its transactions has format \(format), this "
                + "program supports up to \(known). Nothing was changed, and what you write is kept until then. Install a "
                + "newer version."
        case .damaged(let what):
            "a file of transactions cannot be read: it is damaged (\(what)). Restore an earlier version of it"
        case .tooLarge(let what):
            "a transaction is too large to be shared: \(what). Divide it into smaller ones"
        case .invalid(let what): "a transaction cannot be shared: \(what)"
        }
    }
}
