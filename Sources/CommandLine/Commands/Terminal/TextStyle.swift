/// The style of text: with or without colours.
package struct TextStyle: Hashable, Sendable {
    package let isColoured: Bool

    package init(isColoured: Bool) { self.isColoured = isColoured }

    package static let plain = TextStyle(isColoured: false)

    package func bold(_ text: String) -> String { wrap(text, "1") }
    package func dim(_ text: String) -> String { wrap(text, "2") }
    package func good(_ text: String) -> String { wrap(text, "32") }
    package func busy(_ text: String) -> String { wrap(text, "36") }
    package func warning(_ text: String) -> String { wrap(text, "33") }
    package func bad(_ text: String) -> String { wrap(text, "31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
