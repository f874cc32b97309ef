package import Basics
package import CloudModel
import GRDB

import struct Foundation.Data

/// Stores names left by documents.
extension PendingChanges {
    /// Returns the document that had this name until shortly before `now`.
    package func vacated(_ name: ItemName, in parent: NodeID, at now: Timestamp) throws -> VacatedPlace? {
        guard let place = try places("parent = ? AND name = ?", [Int64(bitPattern: parent.value), name.data]).first
        else { return nil }
        let limit = place.settings.isHeldBack ? VacatedPlace.heldBackTime : VacatedPlace.saveTime
        return place.time.adding(limit) >= now ? place : nil
    }

    /// Returns the names in a folder left by documents.
    package func vacated(in parent: NodeID) throws -> [VacatedPlace] {
        try places("parent = ?", [Int64(bitPattern: parent.value)])
    }

    /// Records a name left by a document, and forgets those not taken by any document.
    package func insert(_ place: VacatedPlace, at now: Timestamp) throws {
        memory.hasVacated = true
        try run(
            "DELETE FROM vacated WHERE time < ? AND (time < ? OR isExcluded = 0 AND isPaused = 0)",
            [
                now.adding(.zero - VacatedPlace.saveTime).nanoseconds,
                now.adding(.zero - VacatedPlace.heldBackTime).nanoseconds,
            ])
        let settings = place.settings
        try run(
            """
            INSERT OR REPLACE INTO vacated (\(VacatedMigration.columns.joined(separator: ", ")))
            VALUES (?,?,?,?,?,?,?,?,?,?)
            """,
            [
                Int64(bitPattern: place.parent.value), place.name.data, Int64(place.kind.rawValue),
                Int64(bitPattern: place.node.value), settings.isExcluded, settings.isPaused,
                Int64(settings.pin.rawValue), settings.created.nanoseconds,
                ExtendedAttributes.encode(settings.tags), place.time.nanoseconds,
            ])
    }

    package func removeVacated(_ name: ItemName, in parent: NodeID) throws {
        guard try hasVacated else { return }
        try run(
            "DELETE FROM vacated WHERE parent = ? AND name = ?", [Int64(bitPattern: parent.value), name.data])
    }

    private var hasVacated: Bool {
        get throws {
            try memory.flag(\.hasVacated) { try number("SELECT EXISTS (SELECT 1 FROM vacated)") != 0 }
        }
    }

    private func places(_ condition: String, _ values: StatementValues) throws -> [VacatedPlace] {
        guard try hasVacated else { return [] }
        return try fetchAll(
            "SELECT \(VacatedMigration.columns.joined(separator: ", ")) FROM vacated WHERE \(condition)", values)
    }
}

extension VacatedPlace: ColumnDecodable {
    init(columns: Columns) throws {
        self.init(
            parent: NodeID(columns.unsigned(0)), name: try columns.name(1),
            kind: LocalKind(rawValue: UInt8(truncatingIfNeeded: columns.integer(2))) ?? .file,
            node: NodeID(columns.unsigned(3)),
            settings: DocumentSettings(
                isExcluded: columns.bool(4), isPaused: columns.bool(5),
                pin: PinState(rawValue: UInt8(truncatingIfNeeded: columns.integer(6))) ?? .inherited,
                created: Timestamp(nanoseconds: columns.integer(7)),
                tags: try ExtendedAttributes.decode(columns.optionalData(8))),
            time: Timestamp(nanoseconds: columns.integer(9)))
    }
}
