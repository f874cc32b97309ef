package import Basics
package import CloudModel

/// Which transaction gave a row or a column its state.
package struct RecordStamp: Hashable, Sendable {
    package let position: RecordPosition
    package let device: DeviceID
    /// By that device's clock; for people.
    package let time: Timestamp
    /// The key under which the transaction knew the row, if it is another one now, since two rows became one.
    package var via: RecordKey?

    package init(position: RecordPosition, device: DeviceID, time: Timestamp, via: RecordKey? = nil) {
        self.position = position
        self.device = device
        self.time = time
        self.via = via
    }

    /// The same transaction with another time: that of what it brings back.
    func at(_ time: Timestamp) -> RecordStamp {
        RecordStamp(position: position, device: device, time: time, via: via)
    }
}
