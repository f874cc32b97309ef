import Basics
import DeviceSupport
import Foundation
import Logging
import TestSupport
import Transfers

/// Parts too expensive to create for each device. Each thread has its own.
package final class SharedParts {
    let transfers: TransferContext
    let log: Logger
    private let root: String
    private var count = 0
    private var free: [SimulatedDisk] = []

    package init() throws {
        transfers = TransferContext(
            backend: InMemoryBackend(), slots: TransferSlots(),
            pool: try BlockingPool(name: "simulation", threads: 1))
        var log = Logger(label: "simulation")
        log.logLevel = .critical
        self.log = log
        // Histories are many small commits.
        root = try ScratchFolder.create("ubiquity", in: ScratchFolder.memory)
    }

    deinit {
        // Files left in a temporary folder do no harm.
        for disk in free { try? disk.close() }
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Returns an empty disk.
    func takeDisk() throws -> SimulatedDisk {
        if let disk = free.popLast() { return disk }
        count += 1
        return try SimulatedDisk(directory: "\(root)/\(count)", log: log)
    }

    func giveBack(_ disk: SimulatedDisk) throws {
        try disk.clear()
        free.append(disk)
    }
}
