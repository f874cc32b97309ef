package import Basics
import FoundationEssentials
import Glibc

/// A mount's settings from the settings file: defaults for the options of `ubiquity mount` not set by the command line
/// or an earlier mount.
package struct MountSettings: Hashable, Sendable {
    package var cloud: String?
    package var device: String?
    package var cacheLimit: ByteCount?
    package var minimumFree: ByteCount?
    package var versionCount: Int?
    package var versionDays: Int?

    package init() {}

    private static let vocabulary = SettingsFile.Vocabulary(
        keys: ["cloud", "device", "cache-limit", "minimum-free", "version-count", "version-days"], hasSections: true,
        example: "cache-limit = 20G",
        help: "`ubiquity mount --help` lists the options, whose names the settings have without dashes.")

    /// Reads the file; without one there are no settings.
    ///
    /// - Parameter mount: The absolute path of the mount point.
    package static func load(for mount: String, _ paths: StandardPaths) throws(DaemonFailure) -> MountSettings {
        let file = paths.mountSettings
        guard access(file, F_OK) == 0 else { return MountSettings() }
        do {
            let bytes = try Data(contentsOf: URL(filePath: file))
            guard bytes.count <= SettingsFile.maximumBytes, let text = String(validating: bytes, as: UTF8.self) else {
                throw SettingsProblem("\(file) is not a file of settings: it is too long, or not text.")
            }
            return try MountSettings(parsing: text, name: file, for: mount, home: paths.home)
        } catch let problem as SettingsProblem {
            throw DaemonFailure(
                .mountPoint, sentences: problem.description, path: mount)
        } catch {
            throw DaemonFailure(
                .mountPoint, "the settings cannot be read (\(error))", path: file,
                advice: "Make it readable, or remove it.")
        }
    }

    /// - Parameter home: The meaning of `~` in the path of a section.
    package init(parsing text: String, name: String, for mount: String, home: String) throws(SettingsProblem) {
        let file = try SettingsFile(parsing: text, name: name, Self.vocabulary)
        for setting in file.settings {
            let place = "\(name), line \(setting.line)"
            if let section = setting.section, !section.hasPrefix("/"), !section.hasPrefix("~/") {
                throw SettingsProblem("\(place): a section is a mount point, [/PATH] or [~/PATH].")
            }
            // Values for other mounts are checked, too.
            var one = MountSettings()
            try one.set(setting, place)
            let section = setting.section.map { Self.path($0, home) }
            guard section == nil || section == mount else { continue }
            // Sections follow the settings for all mounts, and are more precise.
            try set(setting, place)
        }
    }

    private static func path(_ section: String, _ home: String) -> String {
        let path = section.hasPrefix("~/") ? home + section.dropFirst() : section
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private mutating func set(_ setting: SettingsFile.Setting, _ place: String) throws(SettingsProblem) {
        let value = setting.value
        func size() throws(SettingsProblem) -> ByteCount {
            guard let size = ByteCount(value) else {
                throw SettingsProblem("\(place): \(setting.key) is a size such as 500M or 20G.")
            }
            return size
        }
        func number() throws(SettingsProblem) -> Int {
            guard let number = Int(value), number >= 0 else {
                throw SettingsProblem("\(place): \(setting.key) is a number from 0 on.")
            }
            return number
        }
        switch setting.key {
        case "cloud":
            guard value.hasPrefix("/") || value.contains("://"),
                (try? CloudAddress(value, currentDirectory: "/")) != nil
            else {
                throw SettingsProblem("\(place): cloud is \(CloudKind.forms).")
            }
            cloud = value
        case "device": device = value
        case "cache-limit": cacheLimit = try size()
        case "minimum-free": minimumFree = try size()
        case "version-count": versionCount = try number()
        default: versionDays = try number()
        }
    }
}
