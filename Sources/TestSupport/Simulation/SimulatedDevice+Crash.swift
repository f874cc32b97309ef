import Basics
import DeviceSupport
import Foundation
import Glibc
import TestSupport

/// Deaths in the middle of something. From the call on at which a device dies, nothing of what it goes on to do reaches its disk or
/// the cloud; what it was about to do is thrown away with it.
extension SimulatedDevice {
    /// Runs `body` and dies at its call to the disk or the cloud behind `spared`; where there are fewer, after it. Answers whether it
    /// was inside, so that nothing in `body` was acknowledged.
    func dying(sparing spared: Int, closesDatabase: Bool, in body: () throws -> Void) throws -> Bool {
        let forgotten = cloud.bug == .lostCommits ? try keepDatabase() : nil
        faults.begin(.death, sparing: spared)
        // The dead hear of no errors.
        do { try body() } catch  where faults.hasStruck {}
        let isInside = faults.hasStruck
        try crash(closesDatabase: closesDatabase || forgotten != nil)
        faults.end()
        if isInside, let forgotten { try restore(forgotten) }
        return isInside
    }

    // MARK: Loss of power

    /// Runs `body` and has the power cut after it: the end of the write-ahead log behind the last sync is gone, in part, and torn.
    func losingPower(_ random: inout SeededGenerator, in body: () throws -> Void) throws {
        try crash(closesDatabase: true)
        try start()
        // The log begins anew with its database, so that its length says how far a sync reached.
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
        let rest = WriteAheadLog(kept).cut(synced: synced) { random.number(0..<$0) }
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
