import Basics
import DeviceSupport
import Foundation
import Glibc
import TestSupport

/// Deaths in the middle of an operation. From the call at which a device dies, none of its further work reaches its
/// disk or the cloud; its memory is discarded.
extension SimulatedDevice {
    /// Runs `body` and dies at its next call to the disk or the cloud after the first `spared`, or after `body` if
    /// there are fewer.
    ///
    /// - Returns: Whether it died inside `body`, which then was not acknowledged.
    func dying(sparing spared: Int, closesDatabase: Bool, in body: () throws -> Void) throws -> Bool {
        let forgotten = cloud.bug == .lostCommits ? try keepDatabase() : nil
        faults.begin(.death, sparing: spared)
        // A dead process receives no errors.
        do { try body() } catch  where faults.hasStruck {}
        let isInside = faults.hasStruck
        try crash(closesDatabase: closesDatabase || forgotten != nil)
        faults.end()
        if isInside, let forgotten { try restore(forgotten) }
        return isInside
    }

    // MARK: Loss of power

    /// Runs `body` and cuts the power after it: the part of the write-ahead log after the last sync is partly lost and torn.
    func losingPower(_ random: inout SeededGenerator, in body: () throws -> Void) throws {
        try crash(closesDatabase: true)
        try start()
        // The log starts empty when the database is opened, so its length shows how far a sync reached.
        let log = disk.directory + "/metadata.sqlite-wal"
        faults.noteSyncs { Self.size(of: log) }
        defer { faults.end() }
        hasLostPower = true
        try body()
        let synced = faults.synced
        faults.end()
        try cutPower(keeping: synced, of: log, &random)
    }

    private func cutPower(keeping synced: Int, of log: String, _ random: inout SeededGenerator) throws {
        let directory = disk.directory
        let kept = try Data(contentsOf: URL(filePath: log))
        let database = try Data(contentsOf: URL(filePath: directory + "/metadata.sqlite"))
        let rest = CommitBoundaries(kept).cut(synced: synced) { random.number(0..<$0) }
        try crash(closesDatabase: true)
        try database.write(to: URL(filePath: directory + "/metadata.sqlite"))
        try rest.write(to: URL(filePath: log))
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    // MARK: A database that loses commits

    private func keepDatabase() throws -> Data {
        try crash(closesDatabase: true)
        let kept = try Data(contentsOf: URL(filePath: disk.directory + "/metadata.sqlite"))
        try start()
        return kept
    }

    private func restore(_ database: Data) throws {
        try database.write(to: URL(filePath: disk.directory + "/metadata.sqlite"))
    }
}
