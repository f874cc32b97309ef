import Logging
import SharedDatabases

/// `ubiquityd databases`, started by the daemon to keep this device's shared databases.
enum DatabasesProgram {
    static func isMeant(by arguments: [String]) -> Bool { HelperServer.isMeant(by: arguments) }

    static func run(_ arguments: [String]) {
        // Standard error is the daemon's log; standard output is the socket.
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        HelperServer.run(arguments, log: Logger(label: "ubiquityd-databases"))
    }
}
