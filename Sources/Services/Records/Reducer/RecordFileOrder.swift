import Basics
package import CloudModel

/// The order in which all devices fold files of transactions.
///
/// A file counts under its version in the log. Uploads may overtake each other, so that a device's later file is in the
/// log before an earlier file: it then counts under the version of the last file it needs. So a file never comes before
/// an already folded file, no matter when each device learned of it.
package struct RecordFileOrder: Sendable {
    package struct Place: Hashable, Comparable, Sendable {
        package let device: DeviceID
        package let number: UInt64
        /// The effective version.
        package let version: VersionID

        package init(device: DeviceID, number: UInt64, version: VersionID) {
            self.device = device
            self.number = number
            self.version = version
        }

        package static func < (left: Place, right: Place) -> Bool {
            (left.version, left.device, left.number) < (right.version, right.device, right.number)
        }
    }

    private var folded: [DeviceID: Place]
    private var waiting: [DeviceID: [UInt64: VersionID]] = [:]

    /// Starts after each device's last folded files.
    package init(folded: [Place] = []) {
        self.folded = Dictionary(folded.map { ($0.device, $0) }) { max($0, $1) }
    }

    /// Notes a file in the log. All files of the log up to some entry have to be noted before using ``next``.
    package mutating func note(_ number: UInt64, of device: DeviceID, version: VersionID) {
        guard number > folded[device]?.number ?? 0 else { return }
        waiting[device, default: [:]][number] = version
    }

    /// The file to fold next: no later entry of the log can precede it. Nil if there is none.
    package var next: Place? {
        waiting.keys.compactMap { device in
            let last = folded[device]
            let (number, overflow) = (last?.number ?? 0).addingReportingOverflow(1)
            guard !overflow, let version = waiting[device]?[number] else { return nil }
            return Place(device: device, number: number, version: max(version, last?.version ?? version))
        }.min()
    }

    /// Continues after the file ``next``.
    package mutating func advance() {
        guard let place = next else { return }
        folded[place.device] = place
        waiting[place.device]?[place.number] = nil
    }

    /// Whether any of a baseline's unfolded files are missing, having been removed. The baseline has to be taken then
    /// before the next file is folded: later files of other devices follow the missing ones.
    ///
    /// - Parameter last: The baseline's last files. A file with such a number and a later version is not the removed
    ///   file: its device did not know that the log had it, and has written it again.
    package func lacks(_ last: [Place]) -> Bool {
        last.contains { last in
            let first = folded[last.device]?.number ?? 0
            guard last.number > first else { return false }
            let present = waiting[last.device]?.count { number, version in
                number > first && number <= last.number && version <= last.version
            }
            return UInt64(present ?? 0) < last.number - first
        }
    }

    /// A missing file, blocking its device's later files.
    package struct Missing: Hashable, Sendable {
        package let device: DeviceID
        package let number: UInt64
        /// The first file blocked by it.
        package let later: UInt64
    }

    /// The missing files once ``next`` is nil, ascending by device.
    package var missing: [Missing] {
        waiting.compactMap { device, numbers in
            numbers.keys.min().map {
                Missing(device: device, number: (folded[device]?.number ?? 0).saturatingSum(1), later: $0)
            }
        }.sorted { $0.device < $1.device }
    }

    /// The number of waiting files, including those blocked by missing files.
    package var count: Int { waiting.values.reduce(0) { $0 + $1.count } }
}
