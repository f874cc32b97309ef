/// Columns of text, each as wide as its widest cell.
package struct TextTable {
    package enum Alignment { case left, right }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[Cell]] = []

    /// A text and its style; the style does not count towards the width.
    package struct Cell: ExpressibleByStringLiteral {
        let text: String
        let look: (String) -> String

        package init(_ text: String, _ look: @escaping (String) -> String = { $0 }) {
            self.text = text
            self.look = look
        }

        package init(stringLiteral text: String) { self.init(text) }
    }

    package init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    package mutating func append(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells)
    }

    package func lines(_ style: TextStyle) -> [String] {
        let header = columns.map { Cell($0.title, style.dim) }
        let widths = columns.indices.map { index in
            ([header] + rows).map { $0[index].text.count }.max() ?? 0
        }
        return ([header] + rows).map { line($0, widths) }
    }

    private func line(_ cells: [Cell], _ widths: [Int]) -> String {
        cells.indices.map { index in
            let cell = cells[index]
            let padding = String(repeating: " ", count: widths[index] - cell.text.count)
            let shown = cell.look(cell.text)
            if columns[index].alignment == .right { return padding + shown }
            return index == cells.count - 1 ? shown : shown + padding
        }
        .joined(separator: "  ")
    }
}

/// Returns a number with its noun: `1 item`, `3 items`.
package func counted(_ number: UInt64, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// Returns a text safe to print on a terminal line: control characters become `?`, and so do direction changes and
/// invisible characters, which could disguise a name.
package func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : "?" }))
}

private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // The joiners of emoji and of Indic scripts.
    case .format: scalar == "\u{200D}" || scalar == "\u{200C}"
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
}
