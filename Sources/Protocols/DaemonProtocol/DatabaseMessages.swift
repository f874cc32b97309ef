/// Shares an SQLite file with the other devices.
package struct ShareDatabaseRequest: DaemonCall {
    package typealias Response = DatabaseResponse
    package static let verb = "shareDatabase"
    package var admission: CallAdmission { .wait }

    /// A table, and how its columns merge (docs/DATABASES.md).
    package struct Table: Codable, Hashable, Sendable {
        package let name: String
        package var unify: [String] = []
        package var counters: [String] = []
        package var sets: [String] = []
        package var conflicts: [String] = []

        package init(_ name: String) { self.name = name }
    }

    package let name: String
    package let container: String
    /// The absolute path of the file.
    package let path: String
    /// The tables to share, or those with declarations if all are shared.
    package let tables: [Table]
    package let sharesAll: Bool

    package init(name: String, container: String, path: String, tables: [Table], sharesAll: Bool) {
        self.name = name
        self.container = container
        self.path = path
        self.tables = tables
        self.sharesAll = sharesAll
    }
}

/// Attaches a file to a database shared by another device. A missing or empty file gets its tables.
package struct AttachDatabaseRequest: DaemonCall {
    package typealias Response = DatabaseResponse
    package static let verb = "attachDatabase"
    package var admission: CallAdmission { .wait }

    package let name: String
    package let container: String
    package let path: String
    /// Which of several databases of that name; nil for the only one.
    package let identifier: String?
    /// Whether the file's existing rows are sent to the other devices as edits of this device.
    package let sendsRows: Bool

    package init(name: String, container: String, path: String, identifier: String? = nil, sendsRows: Bool = false) {
        self.name = name
        self.container = container
        self.path = path
        self.identifier = identifier
        self.sendsRows = sendsRows
    }
}

package struct DatabaseResponse: CallResponse {
    package static let kind = "database"

    package let database: DatabaseStatus
    package init(_ database: DatabaseStatus) { self.database = database }
}

/// Lists the shared databases of this device and of the cloud.
package struct DatabasesRequest: DaemonCall {
    package typealias Response = DatabasesResponse
    package static let verb = "databases"

    /// Whether to return only the last findings for each file, immediately: no file is opened, and `available` is
    /// empty. Nil: false.
    package var isBrief: Bool?

    package init(isBrief: Bool? = nil) { self.isBrief = isBrief }
}

package struct DatabasesResponse: CallResponse {
    package static let kind = "databases"

    /// Those with a file on this device.
    package let databases: [DatabaseStatus]
    /// Those in the cloud, as far as known to this device.
    package let available: [AvailableDatabase]

    package init(databases: [DatabaseStatus], available: [AvailableDatabase]) {
        self.databases = databases
        self.available = available
    }
}

/// Ends sharing on this device: removes the additions to the file, and keeps the rows.
package struct DetachDatabaseRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "detachDatabase"
    package var admission: CallAdmission { .wait }

    package let name: String
    /// Nil if the name is unique among the containers.
    package let container: String?
    /// Whether this device's unpublished transactions are withheld from the other devices.
    package let discardsUnpublished: Bool

    package init(name: String, container: String? = nil, discardsUnpublished: Bool = false) {
        self.name = name
        self.container = container
        self.discardsUnpublished = discardsUnpublished
    }
}

extension CallRegistry {
    /// The calls passed on by the daemon to the database process.
    package static let databases = CallRegistry([
        ShareDatabaseRequest.self, AttachDatabaseRequest.self, DatabasesRequest.self, DetachDatabaseRequest.self,
        DatabaseHistoryRequest.self, DatabaseReviewRequest.self, ResolveDatabaseRequest.self,
    ])
}
