import Basics
import DaemonProtocol
import Foundation
import Records
import UbiquityData

/// People's questions and decisions about rows of a shared file.
extension SharingService {
    func history(_ request: DatabaseHistoryRequest) throws -> DatabaseHistoryResponse {
        try inDatabase(request.name, request.container) { database in
            guard let key = try database.key(of: request.table, texts: request.key),
                let row = try database.history(of: request.table, key: key)
            else { throw noRow(request.table, request.key) }
            return DatabaseHistoryResponse(row)
        }
    }

    func review(_ request: DatabaseReviewRequest) throws -> DatabaseReviewResponse {
        let name = try registration(request.name, in: request.container).name
        return try inDatabase(request.name, request.container) { database in
            let limit = DatabaseReviewRequest.limit
            return DatabaseReviewResponse(
                name: name, conflicts: try database.conflicts(limit: limit).map(DatabaseReviewResponse.Conflict.init),
                aside: try database.asideRows(limit: limit).map(DatabaseReviewResponse.Aside.init),
                lost: try database.lostValues(limit: limit).map(DatabaseLostValue.init))
        }
    }

    func resolve(_ request: ResolveDatabaseRequest) throws {
        let id = try registration(request.name, in: request.container).id
        try inDatabase(request.name, request.container) { database in
            guard let key = try database.key(of: request.table, texts: request.key) else {
                throw noRow(request.table, request.key)
            }
            let conflict = try database.conflicts(limit: Int.max).first {
                $0.table == request.table.lowercased() && $0.key == key && $0.column == request.column.lowercased()
            }
            guard let conflict else {
                throw DaemonFailure(
                    .notFound, "no value of \(request.table).\(request.column) waits for a decision in this row",
                    advice: "`ubiquity database resolve` lists those that do.")
            }
            try decide(request, conflict, database)
        }
        worker(id)?.hurry()
    }

    private func decide(
        _ request: ResolveDatabaseRequest, _ conflict: ValueConflict, _ database: UbiquitousDatabase
    ) throws {
        if let text = request.value { return try database.decide(conflict, text: text) }
        guard let device = request.device else { return try database.decide(conflict, for: conflict.current) }
        let meant = ([conflict.current] + conflict.others).filter { $0.origin.deviceName == device }
        guard meant.count == 1 else {
            let names = ([conflict.current] + conflict.others).map(\.origin.deviceName).joined(separator: ", ")
            throw DaemonFailure(
                .invalidRequest,
                meant.isEmpty ? "no value is of the device \(device)" : "several values are of a device \(device)",
                advice: meant.isEmpty ? "The devices are: \(names)." : "Give the value itself with --value.")
        }
        try database.decide(conflict, for: meant[0])
    }

    private func noRow(_ table: String, _ key: [String]) -> DaemonFailure {
        DaemonFailure(
            .notFound, "no device has made a row \(key.joined(separator: ", ")) in \(table)",
            advice: "Give the columns of its primary key, in their order.")
    }

    private func inDatabase<T>(
        _ name: String?, _ container: String?, _ body: (UbiquitousDatabase) throws -> T
    ) throws -> T {
        let registration = try registration(name, in: container)
        do {
            try Round.checkFile(registration.path, mayBeAbsent: false)
            let probe = try SharingProbe(path: registration.path)
            let tables = TablePlan(registration, probe, peers: []).declarations
                .filter { probe.sharedTables.contains($0.name.lowercased()) }.map(\.declaration)
            let database = try UbiquitousDatabase(
                path: registration.path, tables: tables, identifier: registration.identifier, deviceName: deviceName,
                schemaVersion: registration.version, clock: SystemTime(), isForeign: true)
            defer {
                // The decision is committed.
                try? database.close()
            }
            return try body(database)
        } catch { throw failure(error, registration.path) }
    }
}
