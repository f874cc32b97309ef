package import Basics
import CloudAccess
package import DaemonProtocol
package import LocalMetadata

/// A daemon's complete configuration, checked for its form.
package struct DaemonConfiguration: Hashable, Sendable {
    /// The absolute path of the mount point.
    package var mountPoint: String
    package var cloud: CloudAddress
    /// This device's name, as shown on other devices.
    package var deviceName: String
    /// The absolute path of the state directory.
    package var stateDirectory: String
    /// The upper bound for local bytes of documents; nil: limited only by ``minimumFree``.
    package var cacheLimit: ByteCount?
    /// The default bound, for a device where none was ever set.
    package var defaultCacheLimit: ByteCount?
    /// The number of bytes of the disk to leave free; nil: ``minimumFree(ofDisk:)`` decides.
    package var minimumFree: ByteCount?
    /// The number of listed superseded versions of a document, and their maximum age in days; nil: 10 and 30.
    package var versionCount: Int?
    package var versionDays: Int?
    /// The levels of the log; nil: those of the last start with levels.
    package var logLevels: LogLevels?
    /// Whether the daemon is attached to a terminal or to a service manager.
    package var isForeground: Bool
    /// Whether to rebuild the state from the cloud first.
    package var resets = false
    /// The cloud to move to first; ``cloud`` is copied to it, except for its newest entries.
    package var movesTo: CloudAddress?
    /// The number of consecutive crashes before this start.
    package var crashes = 0
    /// The command line for restarting the daemon after a crash, without the number of crashes at its end; nil: it is
    /// not restarted.
    package var commandAfterCrash: [String]?

    /// Returns the number of bytes to leave free on a disk of `total` bytes: 2 %, but at most 1 GiB.
    package func minimumFree(ofDisk total: ByteCount) -> ByteCount {
        minimumFree ?? ByteCount(min(1 << 30, total.bytes / 50))
    }

    /// The command line for this configuration, without the reset.
    package var arguments: [String] {
        var arguments = [
            "--mount", mountPoint, "--cloud", cloud.description, "--device", deviceName, "--state", stateDirectory,
        ]
        if let cacheLimit { arguments += ["--cache-limit", String(cacheLimit.bytes)] }
        if let minimumFree { arguments += ["--minimum-free", String(minimumFree.bytes)] }
        if let versionCount { arguments += ["--version-count", String(versionCount)] }
        if let versionDays { arguments += ["--version-days", String(versionDays)] }
        if let logLevels { arguments += ["--log-level", logLevels.description] }
        return isForeground ? arguments + ["--foreground"] : arguments
    }

    /// Replaces the cloud, also in the command line for a start after a crash.
    mutating func use(_ address: CloudAddress) {
        commandAfterCrash = commandAfterCrash.map { command in
            zip([""] + command, command).map { $0 == "--cloud" ? address.description : $1 }
        }
        cloud = address
        movesTo = nil
    }

    package var versions: VersionLimits {
        var limits = VersionLimits()
        if let versionCount { limits.count = min(max(0, versionCount), VersionLimits.most) }
        if let versionDays { limits.age = .seconds(86_400 * min(max(0, versionDays), 36_500)) }
        return limits
    }

    package var controlSocket: String { "\(stateDirectory)/control.sock" }
    package var settingsFile: String { "\(stateDirectory)/settings.json" }
}

/// The options of the command line.
package struct DaemonOptions: Hashable, Sendable {
    package var mount: String
    package var cloud: String?
    package var device: String?
    package var state: String?
    package var cacheLimit: ByteCount?
    package var minimumFree: ByteCount?
    package var versionCount: Int?
    package var versionDays: Int?
    package var logLevels: LogLevels?
    package var isForeground = false
    package var resets = false
    package var movesTo: String?

    package init(mount: String) { self.mount = mount }
}

/// The properties of the machine relevant to a configuration.
package struct DaemonSurroundings: Sendable {
    package var paths: StandardPaths
    package var currentDirectory: String
    package var hostName: String
    /// Returns this device's sign-in name at a cloud; nil if it is not signed in.
    package var signedInName: @Sendable (_ cloud: String) -> String?

    package init(
        paths: StandardPaths, currentDirectory: String, hostName: String,
        signedInName: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.signedInName = signedInName
        self.paths = paths
        self.currentDirectory = currentDirectory
        self.hostName = hostName
    }

    package func absolute(_ path: String) -> String {
        normalized(path.hasPrefix("/") ? path : "\(currentDirectory)/\(path)")
    }

    /// Removes doubled slashes, `.` and a trailing slash; `..` stays, since only the file system knows its meaning.
    private func normalized(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}

extension DaemonOptions {
    /// Returns the state directory, needed before the settings can be read from it.
    package func stateDirectory(in surroundings: DaemonSurroundings) -> String {
        state.map(surroundings.absolute)
            ?? surroundings.paths.stateDirectory(forMount: surroundings.absolute(mount))
    }

    /// Completes the options: missing values are taken from the settings of the last start, then from the user's file of settings, and
    /// else from the surroundings.
    package func resolve(
        settings: DaemonSettings?, defaults: MountSettings = MountSettings(), in surroundings: DaemonSurroundings
    ) throws(DaemonFailure) -> DaemonConfiguration {
        let address = cloud ?? settings?.cloud ?? defaults.cloud ?? surroundings.paths.embeddedCloud
        let device =
            self.device ?? settings?.device ?? defaults.device ?? surroundings.signedInName(address)
            ?? surroundings.hostName
        guard (1...64).contains(device.utf8.count), !device.contains(where: { $0 == "/" || $0.isNewline }) else {
            throw DaemonFailure(
                .invalidRequest, "invalid device name", path: "\"\(device)\"",
                advice: "Use 1 to 64 bytes, without \"/\" or line breaks.")
        }
        let cloud = try CloudAddress(address, currentDirectory: surroundings.currentDirectory)
        if case .s3(let url) = cloud { try BucketAccess.check(url) }
        var configuration = DaemonConfiguration(
            mountPoint: surroundings.absolute(mount), cloud: cloud, deviceName: device,
            stateDirectory: stateDirectory(in: surroundings), cacheLimit: cacheLimit,
            defaultCacheLimit: defaults.cacheLimit, minimumFree: minimumFree ?? defaults.minimumFree,
            versionCount: versionCount ?? defaults.versionCount, versionDays: versionDays ?? defaults.versionDays,
            logLevels: logLevels, isForeground: isForeground, resets: resets)
        configuration.movesTo = try movesTo.map { text throws(DaemonFailure) in
            try CloudAddress(text, currentDirectory: surroundings.currentDirectory)
        }
        return configuration
    }
}
