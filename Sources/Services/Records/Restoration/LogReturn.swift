package import CloudModel

/// Whether a completely read log lacks files already folded by a device: the cloud went back to an earlier state. Pure.
package enum LogReturn {
    /// - Parameters:
    ///   - folded: The last folded file of each device.
    ///   - present: The log's versions of those files; none for a missing file.
    ///   - covered: Each device's last files with complete baselines: those files may have been removed.
    package static func isProven(
        folded: [RecordFileOrder.Place], present: [DeviceID: VersionID], covered: [DeviceID: UInt64]
    ) -> Bool {
        folded.contains { place in
            // A file counts under its own version or a later version, so a file with a later version is a different
            // file.
            if let version = present[place.device] { return version > place.version }
            return covered[place.device] ?? 0 < place.number
        }
    }
}
