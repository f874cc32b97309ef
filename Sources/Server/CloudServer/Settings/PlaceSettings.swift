package import Basics

/// Where a server keeps its data, as configured by its owner: with options, environment variables and a settings file.
///
/// Each setting comes from the first source that has it.
package struct PlaceSettings: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// Everything is in one directory.
        case directory(String)
        /// Rows are in PostgreSQL, bytes in a bucket; the cache directory can be rebuilt.
        case cluster(database: String, chunks: String, cache: String)
    }

    package let place: Place
    /// Whether the database's password is among the process's arguments, which other users can read.
    package let exposesPassword: Bool

    /// - Parameters:
    ///   - options: The values of `--data`, `--database`, `--chunks` and `--cache`, without dashes.
    ///   - environment: The process's environment. The variables are called `UBIQUITY_SERVER_DATABASE` and so on.
    /// - Throws: ``SettingsProblem`` unless the settings name exactly one place.
    package init(
        options: [String: String], environment: [String: String], file: SettingsFile?
    ) throws(SettingsProblem) {
        func setting(_ key: String) -> String? {
            options[key] ?? Self.variable(key, environment) ?? file?.value(of: key)
        }
        place = try Self.place(
            data: setting("data"), database: setting("database"), chunks: setting("chunks"),
            cache: setting("cache"), environment)
        exposesPassword = options["database"].map(Self.hasPassword) ?? false
    }

    /// Returns the value of the environment's variable for an option; nil if it is absent or empty.
    package static func variable(_ key: String, _ environment: [String: String]) -> String? {
        environment["UBIQUITY_SERVER_\(key.uppercased())"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func place(
        data: String?, database: String?, chunks: String?, cache: String?, _ environment: [String: String]
    ) throws(SettingsProblem) -> Place {
        switch (data, database, chunks) {
        case (let data?, nil, nil):
            guard cache == nil else {
                throw SettingsProblem(
                    "--cache is for a cluster; a server with --data keeps everything in that directory. Leave it out.")
            }
            return .directory(data)
        case (nil, let database?, let chunks?):
            let directory = if let cache { cache } else { try defaultCache(environment) }
            return .cluster(database: database, chunks: chunks, cache: directory)
        case (.some, _, _):
            throw SettingsProblem(
                "--data names a server in one directory, --database and --chunks a cluster. Use one or the other; they may also come from the environment (UBIQUITY_SERVER_…) or from --settings."
            )
        case (nil, .some, nil):
            throw SettingsProblem(
                "--database also needs --chunks s3://…: the processes of a cluster cannot share chunks that are files of one machine."
            )
        case (nil, nil, .some):
            throw SettingsProblem(
                "--chunks also needs --database postgres://…: the processes of a cluster cannot share a database that is a file of one machine."
            )
        case (nil, nil, nil):
            throw SettingsProblem(
                "Name the server's data: --data DIR, or for a cluster --database postgres://… and --chunks s3://…, also in a file with --settings."
            )
        }
    }

    /// Returns the cache of a service (systemd.exec(5), `CacheDirectory=`), or else of the user (XDG Base Directory Specification).
    private static func defaultCache(_ environment: [String: String]) throws(SettingsProblem) -> String {
        func path(_ variable: String) -> String? { environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        // systemd separates several directories by colons.
        if let cache = path("CACHE_DIRECTORY") { return String(cache.prefix { $0 != ":" }) }
        if let cache = path("XDG_CACHE_HOME") { return "\(cache)/ubiquity-server" }
        if let home = path("HOME") { return "\(home)/.cache/ubiquity-server" }
        throw SettingsProblem("There is no HOME for a cache; name a directory with --cache.")
    }

    /// Whether an address of PostgreSQL has a password: as `user:password@` of a URI, or as a parameter.
    static func hasPassword(_ database: String) -> Bool {
        if database.contains(/(^|[?&\s])password\s*=/) { return true }
        return database.contains(/^postgres(ql)?:\/\/[^\/@]*:[^\/@]+@/)
    }
}
