import Basics
import FoundationEssentials

/// The JSON encoding of a value for people, with `{"$data": base64}` and `{"$date": ISO 8601}` for types missing in
/// JSON.
extension PropertyValue: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        static let data = Key(stringValue: "$data")
        static let date = Key(stringValue: "$date")
    }

    /// 2001-01-01, in seconds since 1970.
    private static let referenceDate: Double = 978_307_200

    package init(from decoder: any Decoder) throws {
        guard let container = try? decoder.singleValueContainer() else {
            throw DaemonFailure(.invalidRequest, "that is not a value")
        }
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .real(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let values = try? container.decode([PropertyValue].self) {
            self = .array(values)
        } else {
            let values = try container.decode([String: PropertyValue].self)
            self = try Self.special(values) ?? .dictionary(values)
        }
    }

    private static func special(_ values: [String: PropertyValue]) throws -> PropertyValue? {
        guard values.count == 1 else { return nil }
        if case .text(let text) = values[Key.data.stringValue] {
            guard let data = Data(base64Encoded: text) else {
                throw DaemonFailure(.invalidRequest, "$data is not base64")
            }
            return .data(Array(data))
        }
        guard case .text(let text) = values[Key.date.stringValue] else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return .date(try style.parse(text).timeIntervalSince1970 - referenceDate)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .real(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .data(let bytes): try container.encode([Key.data.stringValue: Data(bytes).base64EncodedString()])
        case .date(let seconds): try container.encode([Key.date.stringValue: Self.text(seconds)])
        case .array(let values): try container.encode(values)
        case .dictionary(let values): try container.encode(values)
        }
    }

    private static func text(_ seconds: Double) -> String {
        // Dates outside the years 1 to 9999 have no such text and are clamped to the nearest date.
        let bounded = min(max(seconds + referenceDate, -62_135_596_800), 253_402_300_799)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return Date(timeIntervalSince1970: bounded.isNaN ? 0 : bounded).formatted(style)
    }
}
