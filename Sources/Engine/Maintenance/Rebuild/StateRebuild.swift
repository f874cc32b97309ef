package import Basics
package import CloudModel
import CloudStorage
import ContainerLog
import Glibc
import LocalContent
import LocalMetadata
package import Logging
package import Transfers

import struct Foundation.Data

/// Builds a new state for a device from its cloud and the files on its disk, whether intact or damaged. No daemon may
/// run on the state.
///
/// Every blob is judged by its own bytes: blobs named by the log are removed once the cloud is verified to hold them,
/// all others become documents in the folder `Recovered`. The old database and files of unknown origin stay beside the
/// new state, in `set-aside/`.
package struct StateRebuild: Sendable {
    private let swap: StateSwap
    private let backend: any CloudBackend
    private let transfers: TransferContext
    private let device: String
    private let time: any TimeSource
    private let newID: @Sendable () -> ItemID
    private let log: Logger

    /// - Parameters:
    ///   - state: the state directory, absolute.
    ///   - device: this device's name, as shown on other devices.
    package init(
        state: String, transfers: TransferContext, device: String, time: any TimeSource,
        newID: @escaping @Sendable () -> ItemID = ItemID.random, log: Logger
    ) {
        swap = StateSwap(state: state)
        backend = transfers.backend
        self.transfers = transfers
        self.device = device
        self.time = time
        self.newID = newID
        self.log = log
    }

    /// Rebuilds the state. Nothing has changed when it throws: an error of the cloud, the log or the disk.
    package func run(because reason: String, progress: @escaping (String) -> Void) async throws -> RebuildReport {
        progress("reading the cloud")
        let identity = try await backend.connect(create: false)
        try await joinHistories()
        let knowledge = try await LogKnowledge.gather(from: backend) { container, sequence, why in
            log.error("an entry cannot be read", metadata: ["at": "\(container) \(sequence)", "why": "\(why)"])
        }
        let stamp = dateLabel(time.now())
        try swap.begin()
        let old = try ContentStore(directory: swap.content)
        let rows = SalvagedRows(path: swap.database)
        let followed = try await followed(of: rows.containers())
        let metadata = try MetadataDatabase(path: swap.newDatabase, log: log)
        let tree = try RecoveredTree(
            metadata, try ContentStore(directory: swap.newContent), label: "\(safe(device)) \(stamp)", now: time.now(),
            newID: newID)
        var sorting = BlobSorting(
            old: old, rows: rows, knowledge: knowledge, followed: followed, transfers: transfers, tree: tree,
            report: RebuildReport(reason: reason, aside: unusedPath("\(swap.state)/set-aside/\(stamp)")))
        try await sorting.run(progress)
        try metadata.write { try $0.setSetting("cloud", Data(identity.text.utf8)) }
        try keepKeyValues(metadata, knowledge)
        // Only the main database file replaces the old one.
        try metadata.closeWhole()
        try sorting.syncAll()
        try swap.commit(StateSwap.Commit(report: sorting.report, kept: sorting.kept))
        return sorting.report
    }

    /// Joins the histories of each log mixed from two by another program: the new state could not follow such a log.
    private func joinHistories() async throws {
        guard let joining = backend.facet((any HistoryJoining).self) else { return }
        for container in try await backend.containers() {
            var reader = LogReader(backend, container)
            while reader.firstBreak == nil, try await reader.next() != nil {}
            guard let found = reader.firstBreak else { continue }
            log.notice(
                "joining two histories of a log", metadata: ["container": "\(container)", "from": "\(found)"])
            try await joining.joinHistories(of: container)
        }
    }

    /// Returns the containers whose data read by this device is all still in the cloud.
    private func followed(of containers: [LocalContainer]) async throws -> Set<ContainerID> {
        var found: Set<ContainerID> = []
        for container in containers {
            do {
                _ = try await backend.entries(in: container.name, after: container.position, limit: 1)
                found.insert(container.id)
            } catch let error as CloudError where [.damaged, .diverged, .notFound].contains(error.code) { continue }
        }
        return found
    }

    /// Copies key-value writes newer than those in the log, so that the new state sends them: unsent writes, and writes
    /// lost by a rolled-back cloud.
    private func keepKeyValues(_ metadata: MetadataDatabase, _ knowledge: LogKnowledge) throws {
        let now = time.now()
        for (name, pending) in SalvagedRows(path: swap.database).keyValues()
        where !knowledge.hasWrite(of: pending.key, in: name, since: pending.time) {
            try metadata.write { transaction in
                let known = try transaction.container(named: name)?.id
                try transaction.keyValues.restore(
                    pending, in: try known ?? transaction.createContainer(name, at: now), at: now)
            }
        }
    }

    private func unusedPath(_ path: String) -> String {
        var candidate = path
        var number = 2
        while access(candidate, F_OK) == 0 {
            candidate = "\(path) \(number)"
            number += 1
        }
        return candidate
    }

    /// Turns a device's name into a valid part of a file name.
    private func safe(_ name: String) -> String {
        let kept = name.map { $0 == "/" || $0.isNewline ? "-" : String($0) }.joined()
        return kept.isEmpty ? "this device" : kept
    }
}

/// Formats a time as `2026-11-20 14.03.12`, UTC.
func dateLabel(_ time: Timestamp) -> String {
    var seconds = time_t(time.split.seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = [(parts.tm_year + 1900, 4), (parts.tm_mon + 1, 2), (parts.tm_mday, 2)].map(padded)
    let clock = [(parts.tm_hour, 2), (parts.tm_min, 2), (parts.tm_sec, 2)].map(padded)
    return date.joined(separator: "-") + " " + clock.joined(separator: ".")
}

private func padded(_ value: Int32, to width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
}
