package import Basics

/// A key written on this device, not yet shown by the log.
package struct PendingKeyValue: Sendable, Equatable {
    package let container: ContainerID
    package let key: String
    /// The value; nil if the key was removed.
    package let value: [UInt8]?
    /// The time deciding between this and other devices' writes of the key.
    package let time: Timestamp

    package init(container: ContainerID, key: String, value: [UInt8]?, time: Timestamp) {
        self.container = container
        self.key = key
        self.value = value
        self.time = time
    }
}

extension PendingKeyValue: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            container: ContainerID(columns.integer(0)), key: columns.text(1),
            value: columns.optionalData(2).map(Array.init), time: Timestamp(nanoseconds: columns.integer(3)))
    }
}
