import Basics
package import CloudModel

/// When a device writes a baseline, and when files below it may be removed. Pure; neither choice changes any row, so
/// devices need not agree.
package struct BaselinePolicy: Hashable, Sendable {
    /// A baseline is due after this many files since the last.
    package var files: UInt64 = 1_000
    /// A baseline is due once transactions reach this multiple of the last baseline's size.
    package var timesItsSize: UInt64 = 2
    /// Below this size of transactions, none is due: a new device reads them as fast.
    package var minimumBytes: UInt64 = 1 << 20
    /// Parts are gathered up to this size. Only a larger row exceeds it.
    package var partBytes = 4 << 20

    package init() {}

    /// Whether a device should write a baseline.
    ///
    /// - Parameters:
    ///   - log: The part of the log folded since the device's last known baseline.
    ///   - last: The size of that baseline; 0 if there is none.
    ///   - isAuthor: Whether it wrote the last file it folded. Other devices wait for half as much again, so that not
    ///     all write a baseline simultaneously.
    package func isDue(since log: FileChain.Extent, last: UInt64, isAuthor: Bool) -> Bool {
        let (limit, overflow) = last.multipliedReportingOverflow(by: timesItsSize)
        let bytes = max(overflow ? .max : limit, minimumBytes)
        func exceeds(_ value: UInt64, _ limit: UInt64) -> Bool {
            value >= (isAuthor ? limit : limit.saturatingSum(limit / 2))
        }
        return exceeds(log.files, files) || exceeds(log.bytes, bytes)
    }

    /// Whether a baseline's files may be removed: each writing device committed its last transaction knowing the
    /// baseline's end, or the baseline is old. After a longer absence, a device takes the baseline instead.
    ///
    /// - Parameters:
    ///   - device: The asking device. It has passed the baseline.
    ///   - days: Since this device found the baseline in the log, by its own clock.
    ///
    /// The baseline's author removes them. A week later, all devices may, in case the author does not come back.
    package func mayRemove(
        below baseline: RecordBaseline, by device: DeviceID, devices: [RecordBaseline.Device], days: Int64
    ) -> Bool {
        guard device == baseline.name.device || days >= Self.days + 7 else { return false }
        return days >= Self.days || devices.allSatisfy { $0.base >= baseline.end || $0.device == device }
    }

    private static let days: Int64 = 60
}
