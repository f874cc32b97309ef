import Basics
import CloudModel
import Records

/// Baselines whose heads are in the log, kept in the database so that each head is read once.
struct KnownBaselines {
    let statements: StatementCache

    struct Known: Hashable, Sendable {
        let head: RecordBaseline
        /// When this device first found it complete, by its own clock; nil while parts are on their way.
        let completed: Timestamp?
        let isPruned: Bool
    }

    /// Returns the listed baselines whose heads must be read.
    func unknown(_ listed: [ListedBaseline]) throws -> [ListedBaseline] {
        try listed.filter { baseline in
            try statements.first(
                "SELECT 1 FROM _ubq_baseline WHERE device = ? AND number = ? AND sequence = ? AND change = ?",
                Self.key(baseline.name) + [
                    .bits(baseline.version.sequence.value), .integer(Int64(baseline.version.index)),
                ]
            ) { _ in true } == nil
        }
    }

    /// Stores a listing with the previously unknown heads.
    func update(_ listed: [ListedBaseline], heads: [RecordBaseline.Name: [UInt8]], at time: Timestamp) throws {
        let names = Set(listed.map(\.name))
        for known in try all() where !names.contains(known.head.name) {
            try statements.run("DELETE FROM _ubq_baseline WHERE device = ? AND number = ?", Self.key(known.head.name))
        }
        for baseline in listed {
            if let head = heads[baseline.name] {
                try statements.run(
                    "INSERT OR REPLACE INTO _ubq_baseline(device, number, sequence, change, head) VALUES (?, ?, ?, ?, ?)",
                    Self.key(baseline.name) + [
                        .bits(baseline.version.sequence.value), .integer(Int64(baseline.version.index)), .blob(head),
                    ])
            }
            guard let known = try self.known(baseline.name) else { continue }
            let isComplete = known.head.parts.indices.allSatisfy { baseline.parts.contains($0) }
            guard isComplete != (known.completed != nil) else { continue }
            try statements.run(
                "UPDATE _ubq_baseline SET completed = ? WHERE device = ? AND number = ?",
                [isComplete ? .integer(time.nanoseconds) : .null] + Self.key(baseline.name))
        }
    }

    private func known(_ name: RecordBaseline.Name) throws -> Known? {
        try statements.first(
            "SELECT head, completed, is_pruned FROM _ubq_baseline WHERE device = ? AND number = ?", Self.key(name),
            Self.known)
    }

    /// Returns the baselines ordered by their ends.
    func all() throws -> [Known] {
        try statements.all("SELECT head, completed, is_pruned FROM _ubq_baseline", [], Self.known)
            .sorted { ($0.head.end, $0.head.name) < ($1.head.end, $1.head.name) }
    }

    /// Returns the complete baseline with the latest end.
    func latest() throws -> Known? { try all().last { $0.completed != nil } }

    /// The last file of each device covered by complete baselines.
    func covered() throws -> [DeviceID: UInt64] {
        try all().filter { $0.completed != nil }.reduce(into: [:]) { covered, known in
            covered.merge(known.head.files) { max($0, $1) }
        }
    }

    func notePruned(_ name: RecordBaseline.Name) throws {
        try statements.run("UPDATE _ubq_baseline SET is_pruned = 1 WHERE device = ? AND number = ?", Self.key(name))
    }

    private static func known(_ row: SQLRow) throws -> Known {
        var completed: Timestamp?
        if case .integer(let time) = row[1] { completed = Timestamp(nanoseconds: time) }
        return Known(
            head: try RecordBaseline(decoding: row[0].bytes), completed: completed, isPruned: row.integer(2) == 1)
    }

    private static func key(_ name: RecordBaseline.Name) -> [RecordValue] {
        [.bits(name.device.value), .bits(name.number)]
    }
}
