import GRDB
import UbiquityData

/// What devices wrote at the same time and did not remain, numbered for the person who decides.
struct Review {
    private let database: UbiquitousDatabase

    init(_ database: UbiquitousDatabase) { self.database = database }

    func list() throws -> [String] {
        var lines: [String] = []
        for (place, lost) in try lostValues().enumerated() {
            let what = lost.column.map { "\($0) \(text(lost.value))" } ?? "its deletion"
            lines.append(
                "lost \(place + 1): \(lost.table) \(what) of \(lost.origin.deviceName), replaced by "
                    + "\(lost.replacedBy.deviceName)" + (lost.current.map { "; now \(text($0))" } ?? ""))
        }
        for row in try database.asideRows() {
            lines.append(
                "aside: \(row.table) \(row.values["name"].map(text) ?? "") of \(row.origin.deviceName), \(why(row))")
        }
        for (place, conflict) in try database.conflicts().enumerated() {
            let values = values(of: conflict).enumerated().map {
                "\($0 + 1) \(text($1.value)) of \($1.origin.deviceName)"
            }
            lines.append("choose \(place + 1): \(conflict.column): \(values.joined(separator: ", "))")
        }
        return lines
    }

    func restore(_ number: Int?) throws {
        try database.restore(try pick(number, of: try lostValues()))
    }

    func choose(_ number: Int?, _ value: Int?) throws {
        let conflict = try pick(number, of: try database.conflicts())
        try database.decide(conflict, for: try pick(value, of: values(of: conflict)))
    }

    /// A value that both devices wrote, or that is current again, was lost too, and is nothing to decide about.
    private func lostValues() throws -> [LostValue] { try database.lostValues().filter { $0.value != $0.current } }

    private func values(of conflict: ValueConflict) -> [ValueConflict.Candidate] {
        [conflict.current] + conflict.others
    }

    private func pick<T>(_ number: Int?, of list: [T]) throws -> T {
        guard let number, list.indices.contains(number - 1) else { throw Problem("Take a number of the review.") }
        return list[number - 1]
    }

    private func text(_ value: DatabaseValue) -> String { String.fromDatabaseValue(value) ?? value.description }

    private func why(_ row: AsideRow) -> String {
        switch row.reason {
        case .valueTaken(let columns, _): "because another row has its \(columns.joined(separator: ", "))"
        case .parentMissing(let table, _): "because its \(table) is not there"
        case .refused(let message): "because this device refuses it: \(message)"
        }
    }
}
