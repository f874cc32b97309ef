import Basics
import DeviceSupport
import Foundation
import Logging
import Synchronization
import TestSupport
import Transfers

/// Parts too expensive to create for each device. Each thread has its own.
package final class SharedParts {
    let transfers: TransferContext
    let log: Logger
    private let root: String
    private var count = 0
    private var free: [SimulatedDisk] = []
    private static let serial = Atomic(0)

    package init() throws {
        transfers = TransferContext(
            backend: InMemoryBackend(), slots: TransferSlots(),
            pool: try BlockingPool(name: "simulation", threads: 1))
        var log = Logger(label: "simulation")
        log.logLevel = .critical
        self.log = log
        root = "\(Self.scratch)/ubiquity-\(getpid())-\(Self.serial.add(1, ordering: .relaxed).newValue)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        // Files left in a temporary folder do no harm.
        for disk in free { try? disk.close() }
        try? FileManager.default.removeItem(atPath: root)
    }

    /// A disk in memory if available: histories are many small commits.
    private static let scratch =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

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
