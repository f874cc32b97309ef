package import Basics

/// The settings of a server in a file: the options of `ubiquity-server serve`.
extension SettingsFile {
    /// The settings for the data's place. The owner's commands use these alone.
    package static let placeKeys: Set<String> = ["data", "database", "chunks", "cache"]
    private static let switches: Set<String> = ["direct-downloads"]

    /// All long options of `serve` but `--settings` itself.
    package static let server = Vocabulary(
        keys: placeKeys.union([
            "listen", "tls-certificate", "tls-key", "public-url", "trusted-proxy", "connections-per-address",
            "drain-seconds", "security-contact", "log-level", "keep-versions-days",
        ]).union(switches),
        switches: switches, repeatable: ["trusted-proxy"], example: "listen = 127.0.0.1:8080",
        help: "`ubiquity-server serve --help` lists the options, whose names the settings have without dashes.")

    package init(parsing text: String, name: String) throws(SettingsProblem) {
        try self.init(parsing: text, name: name, Self.server)
    }

    /// Returns the settings as arguments of `serve`, except for the place and options already on the command line.
    package func arguments(beside given: [String]) -> [String] {
        let isGiven = Set(given.filter { $0.hasPrefix("--") }.map { $0.dropFirst(2).prefix { $0 != "=" } })
        return settings.filter { !Self.placeKeys.contains($0.key) && !isGiven.contains($0.key[...]) }
            .compactMap(Self.argument)
    }

    private static func argument(_ setting: Setting) -> String? {
        guard switches.contains(setting.key) else { return "--\(setting.key)=\(setting.value)" }
        return setting.value == "true" ? "--\(setting.key)" : nil
    }
}
