package import Basics

extension PlaceSettings {
    /// The place at either end of a migration. Environment variables naming a server's place do not count, because they
    /// do not say which end they mean.
    ///
    /// - Parameters:
    ///   - end: The options' name without dashes: `from` or `to`.
    ///   - place: The value of `--END`: a directory, or the address of a database.
    ///   - chunks: The value of `--END-chunks`: the bucket of a cluster.
    ///   - file: The file named by `--END-settings`.
    /// - Throws: ``SettingsProblem`` unless they name exactly one place.
    package init(
        endOfMigration end: String, place: String?, chunks: String?, file: SettingsFile?, environment: [String: String]
    ) throws(SettingsProblem) {
        let environment = environment.filter { !$0.key.hasPrefix("UBIQUITY_SERVER_") }
        guard file == nil || place == nil && chunks == nil else {
            throw SettingsProblem("--\(end)-settings names the whole place. Leave out --\(end) and --\(end)-chunks.")
        }
        guard let place else {
            guard file != nil else {
                throw SettingsProblem(
                    "Name the place with --\(end) DIR, with --\(end) postgres://… and --\(end)-chunks s3://…, or with --\(end)-settings FILE."
                )
            }
            try self.init(options: [:], environment: environment, file: file)
            return
        }
        guard place.contains(/^postgres(ql)?:\/\//) else {
            guard !place.contains("://") else {
                throw SettingsProblem(
                    "'\(place)' is neither a directory nor postgres://…; a bucket is named with --\(end)-chunks.")
            }
            guard chunks == nil else {
                throw SettingsProblem(
                    "--\(end) names a directory, which has its chunks in it. Leave out --\(end)-chunks.")
            }
            try self.init(options: ["data": place], environment: environment, file: nil)
            return
        }
        guard let chunks else {
            throw SettingsProblem("--\(end) names a database; name the bucket too, with --\(end)-chunks s3://….")
        }
        try self.init(options: ["database": place, "chunks": chunks], environment: environment, file: nil)
    }
}
