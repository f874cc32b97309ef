package import Basics
import FoundationEssentials

/// A time as text, ISO 8601 in UTC with milliseconds: `2026-11-20T14:03:12.500Z`.
package struct WireTime: Codable, Hashable, Sendable {
    package let timestamp: Timestamp

    package init(_ timestamp: Timestamp) { self.timestamp = timestamp }

    private static var style: Date.ISO8601FormatStyle { .init(includingFractionalSeconds: true) }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        // The parser's error describes formats of locales; the field's name says more.
        let milliseconds = (try? Self.style.parse(text)).map { $0.timeIntervalSince1970 * 1000 }
        guard let milliseconds, abs(milliseconds) < 0x1p53 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a time in range"))
        }
        let whole = Int64(milliseconds.rounded())
        timestamp = Timestamp(seconds: whole / 1000, nanoseconds: whole % 1000 * 1_000_000)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package var text: String {
        Date(timeIntervalSince1970: Double(timestamp.nanoseconds / 1_000_000) / 1000).formatted(Self.style)
    }
}
