import ArgumentParser
import Basics
import Foundation
import Glibc

/// The option selecting a list's output format: a table for people, or JSON for programs.
struct ListFormat: ParsableArguments {
    @Flag(help: "Print JSON: an array with one object for each row; times are ISO 8601 in UTC, sizes are bytes.")
    var json = false

    static var table: ListFormat {
        var format = ListFormat()
        format.json = false
        return format
    }

    enum Cell {
        case text(String)
        case number(Int64)
        case bytes(UInt64)
        case time(Timestamp)
        case none
        /// A list; a table shows its length.
        case rows([String], [[Cell]])
    }

    /// Prints rows with their cells in the order of `columns`.
    func show(_ columns: [String], _ rows: [[Cell]]) throws {
        guard json else { return showTable(columns, rows) }
        let data = try JSONSerialization.data(
            withJSONObject: Self.objects(columns, rows), options: [.prettyPrinted, .sortedKeys])
        print(String(decoding: data, as: UTF8.self))
    }

    fileprivate static func objects(_ columns: [String], _ rows: [[Cell]]) -> [[String: Any]] {
        rows.map { row in
            Dictionary(uniqueKeysWithValues: zip(columns.map { $0.replacing(" ", with: "_") }, row.map(\.json)))
        }
    }

    private func showTable(_ columns: [String], _ rows: [[Cell]]) {
        let lines = [columns] + rows.map { $0.map(\.shown) }
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        for line in lines {
            let cells = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let text = cells.joined(separator: "  ")
            print(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
        }
    }
}

extension ListFormat.Cell {
    fileprivate var json: Any {
        switch self {
        case .text(let text): text
        case .number(let number): number
        case .bytes(let count): count
        case .time(let time): Self.text(time, "%Y-%m-%dT%H:%M:%SZ", gmtime_r)
        case .none: NSNull()
        case .rows(let columns, let rows): ListFormat.objects(columns, rows)
        }
    }

    /// The cell's text; times are in the local time zone, to the minute. Devices and browsers name themselves, so control characters are
    /// kept from the terminal.
    var shown: String {
        switch self {
        case .text(let text):
            String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
        case .number(let number): "\(number)"
        case .bytes(let count): "\(ByteCount(count))"
        case .time(let time): Self.text(time, "%Y-%m-%d %H:%M", localtime_r)
        case .none: "-"
        case .rows(_, let rows): "\(rows.count)"
        }
    }

    private typealias Breakdown = (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?

    private static func text(_ time: Timestamp, _ format: String, _ breakDown: Breakdown) -> String {
        var seconds = time_t(time.split.seconds)
        var parts = tm()
        guard breakDown(&seconds, &parts) != nil else { return "?" }
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Returns a count with its noun: `1 device`, `3 devices`.
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(plural ?? "\(noun)s")"
}
