package import CloudModel

/// The order in which all devices fold files of transactions.
///
/// A file counts under the version that the log gave to it. Uploads may overtake one another, so that a device's later file is in the log
/// before an earlier one: it counts under the version of the last that it needs. So a file never comes before one that a device has folded
/// already, whenever each learned of it.
package struct RecordFileOrder: Sendable {
    package struct Place: Hashable, Comparable, Sendable {
        package let device: DeviceID
        package let number: UInt64
        /// The version that it counts under.
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

    /// Starts after the last files of each device that were folded.
    package init(folded: [Place] = []) {
        self.folded = Dictionary(folded.map { ($0.device, $0) }) { max($0, $1) }
    }

    /// Notes a file that the log has. All files of the log up to some entry have to be noted before ``next()`` is asked for.
    package mutating func note(_ number: UInt64, of device: DeviceID, version: VersionID) {
        guard number > folded[device]?.number ?? 0 else { return }
        waiting[device, default: [:]][number] = version
    }

    /// The file to fold next: no later entry of the log can bring one that precedes it. Nil if there is none.
    package var next: Place? {
        waiting.keys.compactMap { device in
            let last = folded[device]
            let (number, overflow) = (last?.number ?? 0).addingReportingOverflow(1)
            guard !overflow, let version = waiting[device]?[number] else { return nil }
            return Place(device: device, number: number, version: max(version, last?.version ?? version))
        }.min()
    }

    /// Goes on after the file that ``next`` is.
    package mutating func advance() {
        guard let place = next else { return }
        folded[place.device] = place
        waiting[place.device]?[place.number] = nil
    }

    /// Whether files that a baseline stands for and that are not folded are missing, because they were removed. The baseline has to be taken
    /// then before the next file is folded: later files of other devices follow the missing ones.
    ///
    /// - Parameter last: The last files that the baseline stands for. A file of such a number with a later version is not the one that was
    ///   removed: its device did not know that the log had it, and has written it again.
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

    /// A file without which later ones of its device cannot be folded.
    package struct Missing: Hashable, Sendable {
        package let device: DeviceID
        package let number: UInt64
        /// The first file that waits for it.
        package let later: UInt64
    }

    /// The files that are missing once ``next`` is nil, ascending by device.
    package var missing: [Missing] {
        waiting.compactMap { device, numbers in
            numbers.keys.min().map {
                Missing(device: device, number: (folded[device]?.number ?? 0).addingClamped(1), later: $0)
            }
        }.sorted { $0.device < $1.device }
    }

    /// How many files wait, also for ones before them.
    package var count: Int { waiting.values.reduce(0) { $0 + $1.count } }
}
