package import Basics
package import CloudModel

/// The transaction behind a row's or a column's state.
package struct RecordStamp: Hashable, Sendable {
    package let position: RecordPosition
    package let device: DeviceID
    /// By that device's clock; for people.
    package let time: Timestamp
    /// The row's key as known to the transaction, if it has changed since, by uniting two rows.
    package var via: RecordKey?

    package init(position: RecordPosition, device: DeviceID, time: Timestamp, via: RecordKey? = nil) {
        self.position = position
        self.device = device
        self.time = time
        self.via = via
    }

    /// The same transaction with the time of a restored value.
    func at(_ time: Timestamp) -> RecordStamp {
        RecordStamp(position: position, device: device, time: time, via: via)
    }
}
