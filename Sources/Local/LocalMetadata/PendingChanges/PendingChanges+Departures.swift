package import Basics
package import CloudModel
import ContainerLog
import GRDB

import struct Foundation.Data

/// Stores deletions not in the log yet.
extension PendingChanges {
    package func departure(of item: ItemID, in container: ContainerID) throws -> Departure? {
        try departures("container = ? AND item = ?", [container.value, item.data]).first
    }

    /// Returns an unsent deletion of that name in that folder.
    package func departure(named name: ItemName, in parent: NodeID) throws -> Departure? {
        try departures(
            "parent = ? AND name = ? AND isSent = 0", [Int64(bitPattern: parent.value), name.data]
        ).first
    }

    package func unsentDepartures(in container: ContainerID, before time: Timestamp, limit: Int) throws -> [Departure] {
        try fetchAll(
            transaction.local.hasPausedFolders()
                ? QueueQueries.unsentDeparturesOutsidePauses : QueueQueries.unsentDepartures,
            [time.nanoseconds, container.value, limit])
    }

    /// Returns the unsent deletions from that folder.
    package func unsentDepartures(from parent: NodeID) throws -> [Departure] {
        try departures("parent = ? AND isSent = 0", [Int64(bitPattern: parent.value)])
    }

    /// Returns the unsent deletions in a folder, including those inside deleted folders.
    package func unsentDepartures(below folder: NodeID) throws -> [Departure] {
        try unsentDepartures(from: folder).flatMap { [$0] + (try unsentDepartures(inside: $0)) }
    }

    /// Returns the unsent deletions inside a deleted folder. It has no row: only the log has its children.
    private func unsentDepartures(inside folder: Departure) throws -> [Departure] {
        guard folder.kind == .folder else { return [] }
        let tree = transaction.remote(in: folder.container)
        var found: [Departure] = []
        var folders = [folder.item]
        // Damaged rows may form a cycle.
        var seen = Set(folders)
        while let next = folders.popLast() {
            for child in try tree.children(of: next) where seen.insert(child).inserted {
                guard let departure = try departure(of: child, in: folder.container), !departure.isSent,
                    try transaction.local.item(departure.parent) == nil
                else { continue }
                found.append(departure)
                if departure.kind == .folder { folders.append(child) }
            }
        }
        return found
    }

    package func insert(_ departure: Departure) throws {
        memory.hasDepartures = true
        try run(
            "INSERT OR REPLACE INTO departed (container, item, parent, name, kind, time, isSent) VALUES (?,?,?,?,?,?,?)",
            [
                departure.container.value, departure.item.data, Int64(bitPattern: departure.parent.value),
                departure.name.data, Int64(departure.kind.rawValue), departure.time.nanoseconds, departure.isSent,
            ])
    }

    package func markSent(_ departure: Departure) throws {
        try run(
            "UPDATE departed SET isSent = 1 WHERE container = ? AND item = ?",
            [departure.container.value, departure.item.data])
    }

    package func removeDeparture(of item: ItemID, in container: ContainerID) throws {
        try run("DELETE FROM departed WHERE container = ? AND item = ?", [container.value, item.data])
    }

    private func departures(_ condition: String, _ values: StatementValues) throws -> [Departure] {
        let hasAny = try memory.flag(\.hasDepartures) { try number("SELECT EXISTS (SELECT 1 FROM departed)") != 0 }
        guard hasAny else { return [] }
        return try fetchAll(
            "SELECT container, item, parent, name, kind, time, isSent FROM departed WHERE \(condition)", values)
    }
}

extension Departure: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            container: ContainerID(columns.integer(0)), item: try ItemID(data: columns.data(1)),
            parent: NodeID(columns.unsigned(2)), name: try columns.name(3),
            kind: LocalKind(rawValue: UInt8(truncatingIfNeeded: columns.integer(4))) ?? .file,
            time: Timestamp(nanoseconds: columns.integer(5)), isSent: columns.bool(6))
    }
}
