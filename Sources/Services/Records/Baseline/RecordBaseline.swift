import Basics
package import CloudModel

/// The head of a baseline, naming the part of the log it covers. The folded log itself is in the baseline's parts
/// (``BaselinePart``).
///
/// A baseline is the folded log after its transaction ``end``. Since all devices fold the same files in the same order,
/// baselines with the same end have the same rows, regardless of the author, and taking a baseline is equivalent to
/// folding the files it covers.
package struct RecordBaseline: Hashable, Sendable {
    /// Names a baseline. Only its device writes its files, once.
    package struct Name: Hashable, Comparable, Sendable {
        package let device: DeviceID
        /// The device's baselines count from 1.
        package let number: UInt64

        package init(device: DeviceID, number: UInt64) {
            self.device = device
            self.number = number
        }

        package static func < (left: Name, right: Name) -> Bool {
            (left.device, left.number) < (right.device, right.number)
        }
    }

    /// How far the files of a device are folded.
    package struct Device: Hashable, Sendable {
        package var device: DeviceID
        package var name: String
        /// The last file, with its effective version.
        package var file: UInt64
        package var version: VersionID
        /// The last position the device had applied when it committed that file's last transaction.
        package var base: RecordPosition
        /// The sum of the device's files up to and including that file (``FileChain``).
        package var chain: FileChain

        package init(
            device: DeviceID, name: String, file: UInt64, version: VersionID, base: RecordPosition, chain: FileChain
        ) {
            self.device = device
            self.name = name
            self.file = file
            self.version = version
            self.base = base
            self.chain = chain
        }

        package var place: RecordFileOrder.Place {
            RecordFileOrder.Place(device: device, number: file, version: version)
        }
    }

    package struct Part: Hashable, Sendable {
        package let bytes: UInt64
        /// CRC-32C of the part's file.
        package let checksum: UInt32

        package init(bytes: UInt64, checksum: UInt32) {
            self.bytes = bytes
            self.checksum = checksum
        }

        package init(of file: [UInt8]) { self.init(bytes: UInt64(file.count), checksum: FileChain.checksum(file)) }
    }

    /// Its shared database.
    package var store: ItemID
    package var name: Name
    /// The last folded transaction.
    package var end: RecordPosition
    /// Ascending by device.
    package var devices: [Device]
    /// Ascending by table.
    package var rules: [TableRules]
    package var parts: [Part]

    package init(
        store: ItemID, name: Name, end: RecordPosition, devices: [Device], rules: [TableRules], parts: [Part]
    ) {
        self.store = store
        self.name = name
        self.end = end
        self.devices = devices.sorted { $0.device < $1.device }
        self.rules = rules.sorted { $0.table < $1.table }
        self.parts = parts
    }

    /// The last covered file of each device.
    package var files: [DeviceID: UInt64] { Dictionary(devices.map { ($0.device, $0.file) }) { max($0, $1) } }

    package var places: [RecordFileOrder.Place] { devices.map(\.place) }

    /// The size of all parts.
    package var bytes: UInt64 { parts.reduce(0) { $0.saturatingSum($1.bytes) } }

    /// The number and size of the covered files.
    package var log: FileChain.Extent { Self.log(of: devices) }

    package static func log(of devices: [Device]) -> FileChain.Extent {
        devices.reduce(FileChain.Extent()) { $0.adding(FileChain.Extent(files: $1.file, bytes: $1.chain.bytes)) }
    }
}
