package import CloudModel

/// When a device writes a baseline, and when files below one may be removed. Pure; neither choice changes any row, so devices need not agree.
package struct BaselinePolicy: Hashable, Sendable {
    /// How many files since the last baseline make one due.
    package var files: UInt64 = 1_000
    /// How often its own size transactions have that make a baseline due.
    package var timesItsSize: UInt64 = 2
    /// Transactions of less than this make none due: a new device reads them as fast.
    package var minimumBytes: UInt64 = 1 << 20
    /// Parts are gathered up to this size. Only a row that is larger makes a larger one.
    package var partBytes = 4 << 20

    package init() {}

    /// Whether a device is to write a baseline.
    ///
    /// - Parameters:
    ///   - log: The log that the device has folded since the last baseline that it knows.
    ///   - last: The size of that baseline; 0 if there is none.
    ///   - isAuthor: Whether it wrote the last file that it folded. Others wait for half as much again, so that not all devices write one at once.
    package func isDue(since log: FileChain.Extent, last: UInt64, isAuthor: Bool) -> Bool {
        let (limit, overflow) = last.multipliedReportingOverflow(by: timesItsSize)
        let bytes = max(overflow ? .max : limit, minimumBytes)
        func exceeds(_ value: UInt64, _ limit: UInt64) -> Bool {
            value >= (isAuthor ? limit : limit.addingClamped(limit / 2))
        }
        return exceeds(log.files, files) || exceeds(log.bytes, bytes)
    }

    /// Whether the files that a baseline stands for may be removed: each device that has written committed its last transaction knowing the
    /// baseline's end, or the baseline is old. A device that is away for longer takes the baseline instead.
    ///
    /// - Parameters:
    ///   - device: The device that asks. It has passed the baseline.
    ///   - days: Since this device found the baseline in the log, by its own clock.
    ///
    /// The device that wrote the baseline removes them. Others do so a week later, for one that does not come back.
    package func mayRemove(
        below baseline: RecordBaseline, by device: DeviceID, devices: [RecordBaseline.Device], days: Int64
    ) -> Bool {
        guard device == baseline.name.device || days >= Self.days + 7 else { return false }
        return days >= Self.days || devices.allSatisfy { $0.base >= baseline.end || $0.device == device }
    }

    private static let days: Int64 = 60
}
