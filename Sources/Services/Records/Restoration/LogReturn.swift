package import CloudModel

/// Whether a log that is read to its end lacks files that a device has folded: the cloud went back to an earlier state. Pure.
package enum LogReturn {
    /// - Parameters:
    ///   - folded: The last file of each device that was folded.
    ///   - present: The versions that the log gave to those files; none for a file that it does not have.
    ///   - covered: The last files of each device for which complete baselines stand: those files may have been removed.
    package static func isProven(
        folded: [RecordFileOrder.Place], present: [DeviceID: VersionID], covered: [DeviceID: UInt64]
    ) -> Bool {
        folded.contains { place in
            // A file counts under its own version or a later one, so one with a later version is another file.
            if let version = present[place.device] { return version > place.version }
            return covered[place.device] ?? 0 < place.number
        }
    }
}
