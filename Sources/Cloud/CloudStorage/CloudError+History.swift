package import CloudModel

/// The errors of a log that lacks entries read by this device.
extension CloudError {
    private static let advice =
        "Put the right state of the cloud back if you have it; otherwise run `ubiquity reset`, which loses no document."

    /// - Parameter why: The cloud's own report of the missing container.
    package static func lostContainer(_ container: ContainerName, _ why: String) -> CloudError {
        CloudError(
            .diverged,
            "The cloud no longer has the container \(container), which this device has read. \(why) \(advice)")
    }

    /// - Parameter place: The cloud's address or path.
    package static func lostEntry(_ number: UInt64, of container: ContainerName, at place: String) -> CloudError {
        CloudError(
            .diverged,
            "The cloud went back to an earlier state. Entry \(number) of the log of \(container), which this device has read, is gone from \(place). \(advice)"
        )
    }

    package static func otherHistory(
        at number: UInt64, of container: ContainerName, at place: String
    ) -> CloudError {
        CloudError(
            .diverged,
            "The cloud has another history than this device. Up to entry \(number) the log of \(container) at \(place) has other entries than this device has read: it was restored from an older copy, or another program replaced its files. \(advice)"
        )
    }

    package static func twoHistories(
        from number: UInt64, of container: ContainerName, at place: String
    ) -> CloudError {
        CloudError(
            .diverged,
            "The cloud has two histories. Entry \(number) of the log of \(container) at \(place) does not follow the one before it: another program mixed two copies of the cloud. \(advice)"
        )
    }
}
