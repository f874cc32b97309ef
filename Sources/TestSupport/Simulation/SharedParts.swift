import Logging
import TestSupport
import Transfers

/// What costs too much to make for each device.
package struct SharedParts: Sendable {
    let transfers: TransferContext
    let log: Logger

    package init() throws {
        transfers = TransferContext(
            backend: InMemoryBackend(), slots: TransferSlots(),
            pool: try BlockingPool(name: "simulation", threads: 1))
        var log = Logger(label: "simulation")
        log.logLevel = .critical
        self.log = log
    }
}
