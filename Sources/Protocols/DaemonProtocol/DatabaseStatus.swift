/// A database of this device that is shared, and what its sharing is doing.
package struct DatabaseStatus: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        /// What is here is in the cloud, and what is in the cloud is here.
        case current
        /// Transactions are on their way, in either direction.
        case syncing
        /// A retry follows by itself; `problem` says why.
        case waiting
        /// Nothing happens until the reason is gone; `problem` has it, or a note if it is the container's.
        case stopped

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .syncing
        }
    }

    /// Why transactions are not sent or received.
    package struct Problem: Codable, Hashable, Sendable {
        /// What happened, without a period.
        package let message: String
        /// What to do, as complete sentences.
        package let advice: String
        package let since: WireTime

        package init(message: String, advice: String, since: WireTime) {
            (self.message, self.advice, self.since) = (message, advice, since)
        }
    }

    /// A file of transactions that the cloud does not have, although it has a later one of that device.
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
    /// The devices whose transactions are in the tables.
    package var devices: [String] = []
    /// Transactions of this device that the cloud does not have yet.
    package var pending: UInt64 = 0
    /// When files were last written to the mount, and when those of other devices were last applied, since the daemon started.
    package var lastPublished: WireTime?
    package var lastImported: WireTime?
    /// Values that wait for a decision, rows that stand aside, rows that a constraint of this device refuses, and values that were replaced
    /// or refused unseen in the last 30 days.
    package var conflicts: UInt64 = 0
    package var aside: UInt64 = 0
    package var refused: UInt64 = 0
    package var lost: UInt64 = 0
    package var problem: Problem?
    /// What this device waits for; absent if it waits for nothing.
    package var missing: [MissingFile]?
    /// What does not stop sharing, such as a new table that cannot be shared, as complete sentences.
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
    /// The file that is attached to it on this device; nil if there is none.
    package let path: String?

    package init(name: String, container: String, identifier: String, tables: [String], path: String?) {
        self.name = name
        self.container = container
        self.identifier = identifier
        self.tables = tables
        self.path = path
    }
}
