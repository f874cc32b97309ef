import DaemonProtocol
import Glibc
package import Logging

/// The daemon: composes the parts of a device and runs them until it is told to stop.
package enum Daemon {
    /// Runs until SIGTERM, SIGINT or a `stop` request. Reports through `readiness` once it answers; throws what kept it from that.
    package static func run(
        _ configuration: DaemonConfiguration, readiness: ReadinessPipe, logger: Logger
    ) async throws {
        throw DaemonFailure(.unsupported, "this build has no file system", path: configuration.mountPoint)
    }
}
