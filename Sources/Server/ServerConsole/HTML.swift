/// Markup. Interpolated text is escaped, and only markup is inserted as it is, so hostile text cannot become markup.
package struct HTML: ExpressibleByStringInterpolation, Sendable, CustomStringConvertible {
    package let description: String

    private init(markup: String) { description = markup }

    /// Accepts only literals from the source code.
    package init(stringLiteral markup: String) { description = markup }

    package init(stringInterpolation: Interpolation) { description = stringInterpolation.markup }

    package static let empty: HTML = ""

    package static func joined(_ parts: [HTML]) -> HTML { HTML(markup: parts.map(\.description).joined()) }

    package struct Interpolation: StringInterpolationProtocol {
        var markup: String

        package init(literalCapacity: Int, interpolationCount: Int) {
            markup = ""
            markup.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Appends literal source text between the interpolations.
        package mutating func appendLiteral(_ literal: String) { markup += literal }

        package mutating func appendInterpolation(_ html: HTML) { markup += html.description }

        package mutating func appendInterpolation(_ html: HTML?) { markup += html?.description ?? "" }

        package mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { markup += part.description } }

        package mutating func appendInterpolation(_ number: some BinaryInteger) { markup += String(number) }

        package mutating func appendInterpolation(_ text: some StringProtocol) { markup += escaped(text) }
    }
}

/// Escapes text for an element or a quoted attribute (HTML, 13.1.2). Characters not allowed in a document become
/// U+FFFD.
package func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        case "\n", "\t": result.unicodeScalars.append(scalar)
        case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
