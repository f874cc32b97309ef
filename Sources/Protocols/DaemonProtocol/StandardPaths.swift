import Basics
import Glibc

/// The default locations of files according to the XDG base directory specification. Pure except for ``current``.
package struct StandardPaths: Sendable {
    package let home: String
    private let environment: [String: String]
    private let userID: UInt32

    package init(home: String, environment: [String: String], userID: UInt32) {
        self.home = home
        self.environment = environment
        self.userID = userID
    }

    /// The paths for this process.
    package static var current: StandardPaths {
        var environment: [String: String] = [:]
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "UBIQUITY_SCOPE"]
        {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        let entry = getpwuid(getuid())?.pointee.pw_dir.map { String(cString: $0) }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? entry ?? "/"
        return StandardPaths(home: home, environment: environment, userID: getuid())
    }

    /// The directory limiting the mounts visible to this program: `UBIQUITY_SCOPE`. Tests set it on a machine whose
    /// mounts are in use. If nil, the program sees all mounts of its user.
    package var scope: String? { absolute("UBIQUITY_SCOPE") }

    /// Returns whether a path is inside ``scope``; true if there is no scope.
    package func isInScope(_ path: String) -> Bool { scope.map { path == $0 || path.hasPrefix("\($0)/") } ?? true }

    /// The default mount point.
    package var defaultMount: String { "\(home)/MobileDocuments" }

    /// The data directory of this user's programs.
    package var data: String { directory("XDG_DATA_HOME", else: "\(home)/.local/share") + "/ubiquity" }

    /// The default cloud: a directory shared by all mounts of this user.
    package var embeddedCloud: String { "\(data)/cloud" }

    /// The default state directory of a mount: distinguished by a digest of the mount point's whole path.
    package func stateDirectory(forMount mount: String) -> String {
        if mount == defaultMount { return "\(data)/devices/MobileDocuments" }
        let name = mount.split(separator: "/").last.map(String.init) ?? "root"
        return "\(data)/devices/\(name)-\(fingerprint(mount))"
    }

    /// Possible directories of mount records, the preferred one first. A daemon writes to the first that works, a
    /// client reads all, because the two may have been started with different environments (a login session, a user
    /// unit, `su`).
    package var registryCandidates: [String] {
        var result: [String] = []
        if let runtime = absolute("XDG_RUNTIME_DIR") { result.append("\(runtime)/ubiquity") }
        let standard = "/run/user/\(userID)/ubiquity"
        if !result.contains(standard) { result.append(standard) }
        result.append(stateHome)
        return result.filter(isInScope)
    }

    /// The file with the sign-in at a server. Its name is the address with everything but letters and digits
    /// percent-encoded, so no two addresses share a file. An address too long for a name is replaced by a digest.
    package func signInFile(server: String) -> String {
        "\(stateHome)/servers/\(fileName(of: server)).json"
    }

    private func fileName(of address: String) -> String {
        let name = PercentCoding.encode(address.utf8, uppercase: false) { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: ".")
        }
        return name.utf8.count <= 240 ? name : fingerprint(address)
    }

    /// The file with the credentials of a bucket, named like ``signInFile(server:)``.
    package func bucketFile(_ bucket: String) -> String { "\(stateHome)/buckets/\(fileName(of: bucket))" }

    /// The files with rules for programs, the most important first. A scope hides the system's.
    package var programRules: [String] {
        let user = "\(directory("XDG_CONFIG_HOME", else: "\(home)/.config"))/ubiquity/programs.json"
        return scope == nil ? [user, "/etc/ubiquity/programs.json"] : [user]
    }

    /// The file with defaults for the options of mounts.
    package var mountSettings: String { "\(directory("XDG_CONFIG_HOME", else: "\(home)/.config"))/ubiquity/settings" }

    private var stateHome: String { directory("XDG_STATE_HOME", else: "\(home)/.local/state") + "/ubiquity" }

    private func directory(_ variable: String, else fallback: String) -> String { absolute(variable) ?? fallback }

    /// The specification requires ignoring relative paths in these variables.
    private func absolute(_ variable: String) -> String? {
        environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

/// Sixteen hex digits identifying a path (FNV-1a, 64 bit); the same in every run.
func fingerprint(_ text: String) -> String {
    Hex.encode(text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
}
