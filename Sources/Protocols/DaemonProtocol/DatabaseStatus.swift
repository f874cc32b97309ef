/// A shared database of this device, and the state of its sharing.
package struct DatabaseStatus: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        /// This device and the cloud are in step.
        case current
        /// Transactions are on their way, in either direction.
        case syncing
        /// An automatic retry follows; `problem` says why.
        case waiting
        /// Nothing happens until the reason is gone; `problem` has it, or a note if it is the container's.
        case stopped

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .syncing
        }
    }

    /// Why transactions are not sent or received.
    package struct Problem: Codable, Hashable, Sendable {
        /// The event, without a period.
        package let message: String
        /// The advice, as complete sentences.
        package let advice: String
        package let since: WireTime

        package init(message: String, advice: String, since: WireTime) {
            (self.message, self.advice, self.since) = (message, advice, since)
        }
    }

    /// A file of transactions missing from the cloud, although the cloud has a later file of that device.
    package struct MissingFile: Codable, Hashable, Sendable {
        package let device: String
        package let number: UInt64
        /// When the device wrote the later file.
        package let since: WireTime

        package init(device: String, number: UInt64, since: WireTime) {
            (self.device, self.number, self.since) = (device, number, since)
        }
    }

    package let name: String
    package let container: String
    /// The absolute path of the file.
    package let path: String
    /// Names the shared database; the `identifier` of the library `UbiquityData`.
    package let identifier: String
    package var state: State = .syncing
    /// The shared tables.
    package var tables: [String] = []
    /// The devices with transactions in the tables.
    package var devices: [String] = []
    /// Transactions of this device not yet in the cloud.
    package var pending: UInt64 = 0
    /// When files were last written to the mount, and when those of other devices were last applied, since the daemon started.
    package var lastPublished: WireTime?
    package var lastImported: WireTime?
    /// Values waiting for a decision, rows set aside, rows refused by a constraint of this device, and values replaced
    /// or refused unseen in the last 30 days.
    package var conflicts: UInt64 = 0
    package var aside: UInt64 = 0
    package var refused: UInt64 = 0
    package var lost: UInt64 = 0
    package var problem: Problem?
    /// The files for which this device waits; absent if it waits for none.
    package var missing: [MissingFile]?
    /// Problems that do not stop sharing, such as a new unsharable table, as complete sentences.
    package var notes: [String] = []
    /// When the numbers were read from the file; nil if they could not be read.
    package var asOf: WireTime?

    package init(name: String, container: String, path: String, identifier: String) {
        self.name = name
        self.container = container
        self.path = path
        self.identifier = identifier
    }
}

/// A shared database in the cloud.
package struct AvailableDatabase: Codable, Hashable, Sendable {
    package let name: String
    package let container: String
    package let identifier: String
    package let tables: [String]
    /// The file attached to it on this device; nil if there is none.
    package let path: String?

    package init(name: String, container: String, identifier: String, tables: [String], path: String?) {
        self.name = name
        self.container = container
        self.identifier = identifier
        self.tables = tables
        self.path = path
    }
}
