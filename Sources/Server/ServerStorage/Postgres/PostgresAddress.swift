import CPostgres

/// The location of a PostgreSQL database and its credentials: a URI or a string of keywords and values
/// (postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), with several hosts, or a name of a service file.
///
/// The password is in no description and in no error.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    /// The settings of the string by their keywords.
    private let settings: [String: String]

    /// - Throws: ``StorageError``; `invalid` for text not understood by libpq.
    package init(_ text: String) throws {
        guard text.contains("=") || text.contains("://") else {
            throw StorageError(
                .invalid, "A database is postgres://USER@HOST/NAME, or keywords such as \"host=HOST dbname=NAME\".")
        }
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &problem) else {
            // libpq's message may quote a part of a password.
            PQfreemem(problem)
            throw StorageError(
                .invalid,
                "The address of the database cannot be parsed. Percent-encode special characters of a postgres:// address."
            )
        }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.settings = settings
    }

    private init(settings: [String: String]) { self.settings = settings }

    /// The name of the database; empty if the address leaves it to libpq.
    var name: String { settings["dbname"] ?? "" }

    /// The same server with a different database.
    package func database(_ name: String) -> PostgresAddress {
        PostgresAddress(settings: settings.merging(["dbname": name]) { $1 })
    }

    /// The settings for libpq: those of the address, and defaults for the rest.
    func parameters(_ bounds: PostgresBounds) -> [(keyword: String, value: String)] {
        let defaults = [
            "application_name": "ubiquity-server",
            "connect_timeout": "\(max(2, bounds.connect.components.seconds))",
            // A server being replaced, or a replica, must not be mistaken for the primary.
            "target_session_attrs": "read-write",
            "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "15000",
        ]
        return settings.merging(defaults) { given, _ in given }.merging(["client_encoding": "UTF8"]) { $1 }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The address without user and password.
    package var description: String {
        if let service = settings["service"], settings["host"] == nil { return "the PostgreSQL service \(service)" }
        let hosts = (settings["host"] ?? settings["hostaddr"] ?? "").split(
            separator: ",", omittingEmptySubsequences: false)
        let ports = (settings["port"] ?? "").split(separator: ",")
        let places = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports.first : index < ports.count ? ports[index] : nil
            return port.map { "\(host):\($0)" } ?? "\(host)"
        }
        return "postgres://\(places.joined(separator: ","))/\(settings["dbname"] ?? "")"
    }
}
