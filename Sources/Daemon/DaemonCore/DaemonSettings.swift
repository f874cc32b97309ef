package import DaemonProtocol
import FoundationEssentials
import Glibc
import Maintenance

/// A device's settings for every start. They are kept in its state directory, so that `--cloud` and `--device` are
/// passed only once.
package struct DaemonSettings: Codable, Hashable, Sendable {
    package let format: UInt32
    package let cloud: String
    package let device: String

    package static let currentFormat: UInt32 = 1

    package init(cloud: String, device: String) {
        format = Self.currentFormat
        self.cloud = cloud
        self.device = device
    }

    package init(_ configuration: DaemonConfiguration) {
        self.init(cloud: configuration.cloud.description, device: configuration.deviceName)
    }

    /// - Returns: The settings; nil if the device has none yet.
    /// - Throws: `damaged` if they cannot be read, `versionMismatch` if they are of a newer version.
    package static func load(from file: String) throws(DaemonFailure) -> DaemonSettings? {
        guard access(file, F_OK) == 0 else { return nil }
        do {
            let settings = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: file)))
            if settings.format <= currentFormat { return settings }
        } catch {
            throw DaemonFailure(
                .damaged, "the settings cannot be read", path: file,
                advice: "Move this file away, and pass --cloud and --device again.")
        }
        throw DaemonFailure(
            .versionMismatch, "the settings were written by a newer version", path: file,
            advice: "Use that version, or another --state.")
    }

    /// Compares the file with these settings.
    ///
    /// - Parameter repair: Whether to write the file again if it differs.
    /// - Returns: The damage; nil if the file has these settings.
    func check(_ file: String, repair: Bool) throws -> Finding? {
        // Unreadable settings cannot be right.
        guard (try? Self.load(from: file)) != self else { return nil }
        guard repair else {
            return Finding(
                "the settings in \(file) are damaged", advice: "Run `ubiquity repair`: it writes the file again.")
        }
        try save(to: file)
        return Finding("the settings in \(file) were damaged and have been written again")
    }

    /// Replaces the file atomically; does nothing if it has the same content already.
    package func save(to file: String) throws {
        let text = try ControlFrame.payload(self)
        // An unreadable file counts as different.
        if let present = try? Data(contentsOf: URL(filePath: file)), present == text { return }
        try text.write(to: URL(filePath: file), options: .atomic)
    }
}
