import Basics
import Records
import TestSupport

/// A person's actions with a program on a device, in a single transaction, as permitted by its database.
struct RecordUser {
    private(set) var view: DictionaryRecords
    private(set) var story: [String] = []
    private var changes: [RowID: RecordChange] = [:]
    private var gone: Set<RowID> = []
    private let version: UInt64
    private let device: Int
    private var mistake: RecordMistake?

    init(view: DictionaryRecords, version: UInt64, device: Int, mistake: RecordMistake?) {
        (self.view, self.version, self.device, self.mistake) = (view, version, device, mistake)
    }

    mutating func act(_ random: inout SeededGenerator, rows: inout UInt64) -> [RecordChange] {
        for _ in 0..<random.number(1..<4) {
            let table = random.pick(RecordSchema.tables) ?? RecordSchema.tag
            switch random.number(0..<10) {
            case 0..<4: insert(table, &random, &rows)
            case 4..<8: update(table, &random)
            default: delete(table, &random)
            }
        }
        return Array(changes.values)
    }

    private func live(_ table: RecordName) -> [RowID] {
        view.liveRows(of: table).filter { !gone.contains($0) && changes[$0] == nil }
    }

    private mutating func commit(_ change: RecordChange, _ what: String) {
        changes[change.row] = change
        story.append("\(what) \(change.row.text) \(change.edits.text)")
    }

    // MARK: Inserts

    private mutating func insert(_ table: RecordName, _ random: inout SeededGenerator, _ rows: inout UInt64) {
        var parents: [RecordName: RecordValue] = [:]
        for parent in RecordSchema.parentColumns(of: table) {
            guard let id = random.pick(live(parent.table)) else { return }
            parents[parent.column] = id.key.values[0]
        }
        rows += 1
        let unique = RecordValue.text("\(device).\(rows)")
        // Now and then several devices create the same row, such as a row shipped with a program.
        let seed = RecordValue.text("seed \(random.number(0..<2))")
        let values =
            table == RecordSchema.label
            ? [RecordSchema.account, RecordSchema.tag].map { parents[$0] ?? .null }
            : [random.chance(10) ? seed : unique]
        guard let key = RecordKey(values) else { return }
        let id = RowID(table: table, key: key)
        guard view.row(id)?.isLive != true, !gone.contains(id), changes[id] == nil else {
            return
        }
        var edits: [RecordName: ColumnEdit] = [:]
        for column in RecordSchema.columns(of: table, version: version) {
            edits[column.name] = .set(parents[column.name] ?? value(of: column.name, column.kind, &random))
        }
        guard isFree(id, edits) else { return }
        commit(RecordChange(id, .insert, edits: edits), "inserts")
    }

    private func value(
        of column: RecordName, _ kind: RecordSchema.Kind, _ random: inout SeededGenerator
    ) -> RecordValue {
        switch kind {
        case .counter: return .integer(Int64(random.number(0..<100)))
        case .set: return SetText.text(of: Set((0..<random.number(0..<3)).map { .integer(Int64($0)) }))
        case .plain, .conflict:
            let isName = column == RecordSchema.title
            return .text("\(isName ? "n" : "v\(device).")\(random.number(0..<(isName ? 4 : 1000)))")
        }
    }

    /// Whether the database of the device accepts the values.
    private func isFree(_ id: RowID, _ edits: [RecordName: ColumnEdit]) -> Bool {
        guard let title = edits[RecordSchema.title]?.result,
            id.table == RecordSchema.tag || (id.table == RecordSchema.account && version > 1)
        else { return true }
        let taken = view.liveRows(of: id.table).contains {
            $0 != id && !gone.contains($0) && view.row($0)?.columns[RecordSchema.title]?.value == title
        }
        return !taken
            && !changes.values.contains {
                $0.row.table == id.table && $0.edits[RecordSchema.title]?.result == title
            }
    }

    // MARK: Updates and deletions

    private mutating func update(_ table: RecordName, _ random: inout SeededGenerator) {
        guard let id = random.pick(live(table)), let row = view.row(id),
            let column = random.pick(RecordSchema.columns(of: table, version: version))
        else { return }
        let old = row.columns[column.name]?.value ?? .null
        var new = value(of: column.name, column.kind, &random)
        if column.name == RecordSchema.account {
            guard let parent = random.pick(live(RecordSchema.account)) else { return }
            new = parent.key.values[0]
        }
        guard new != old, let edit = edit(column.kind, from: old, to: new), isFree(id, [column.name: edit]) else {
            return
        }
        if column.kind == .conflict, row.columns[column.name]?.beside.isEmpty == false, random.chance(50) {
            return commit(RecordChange(id, .resolve([column.name])), "decides")
        }
        commit(RecordChange(id, .update, edits: [column.name: edit]), "updates")
    }

    private func edit(_ kind: RecordSchema.Kind, from old: RecordValue, to new: RecordValue) -> ColumnEdit? {
        switch kind {
        case .plain: return .set(new)
        case .conflict: return .offer(new)
        case .counter:
            if mistake == .setsCounters { return .set(new) }
            guard case .integer(let before) = old, case .integer(let after) = new else { return .set(new) }
            return .add(.integer(after - before), result: new)
        case .set:
            guard let before = SetText.members(of: old), let after = SetText.members(of: new) else { return nil }
            let (adding, removing) = (after.subtracting(before), before.subtracting(after))
            guard !adding.isEmpty || !removing.isEmpty else { return nil }
            return .members(adding: adding, removing: removing, result: new)
        }
    }

    /// Deletes a row with its children, like a cascading foreign key.
    private mutating func delete(_ table: RecordName, _ random: inout SeededGenerator) {
        guard let id = random.pick(live(table)) else { return }
        let parents = changes.values.filter { $0.edits.values.contains { $0.result == id.key.values[0] } }
        let children = view.children(of: id).filter { !gone.contains($0) }
        let isUsed = changes.keys.contains {
            $0.table == RecordSchema.label && $0.key.values.contains(id.key.values[0])
        }
        guard parents.isEmpty, !isUsed, children.allSatisfy({ changes[$0] == nil }) else { return }
        for row in children + [id] {
            gone.insert(row)
            commit(RecordChange(row, .delete), "deletes")
        }
    }
}

extension RowID {
    var text: String { "\(table)(\(key.values.map(\.text).joined(separator: ", ")))" }
}

extension RecordValue {
    var text: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let bytes), .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension [RecordName: ColumnEdit] {
    fileprivate var text: String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.result.text)" }.joined(separator: " ")
    }
}
