import DaemonProtocol
import FoundationEssentials

/// The mounting advice of `login`: the default folder, unless it has documents of another cloud.
struct MountAdvice {
    let cloud: String

    /// The compared part of a device's settings.
    private struct Settings: Decodable { let cloud: String }

    var text: String {
        let folder = StandardPaths.current.defaultMount
        guard let other = otherCloud(of: folder) else { return "Mount it with: ubiquity mount --cloud \(cloud)" }
        return """
            Mount it on a folder of its own: ubiquity mount ~/\(name) --cloud \(cloud)
            \(folder) has documents of \(other). To move them to the server: ubiquity cloud move \(cloud) \(folder)
            """
    }

    /// Returns the cloud of the folder's documents; nil if it is this one, or there are none.
    private func otherCloud(of folder: String) -> String? {
        let file = "\(StandardPaths.current.stateDirectory(forMount: folder))/settings.json"
        // Unreadable settings are reported by the mount.
        guard let data = try? Data(contentsOf: URL(filePath: file)),
            let settings = try? JSONDecoder().decode(Settings.self, from: data),
            let (mine, its) = try? (
                CloudAddress(cloud, currentDirectory: "/"), CloudAddress(settings.cloud, currentDirectory: "/")
            ),
            mine != its
        else { return nil }
        return settings.cloud
    }

    /// The host, as the name of a folder.
    private var name: String {
        let host = cloud.split(separator: "/").dropFirst().first ?? "Cloud"
        return String(host.prefix { $0 != ":" }.replacing("@", with: "-"))
    }
}
