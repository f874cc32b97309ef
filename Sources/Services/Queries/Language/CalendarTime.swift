import Basics

/// Times as written in predicates: ISO 8601, in UTC unless an offset is given; a day alone means its beginning.
enum CalendarTime {
    /// Returns nanoseconds since 1970; nil if the text is not a time. Accepts `2026-11-21`, `2026-11-21T14:03:12.5Z`, `2026-11-21
    /// 14:03+01:00`.
    static func nanoseconds(_ text: String) -> Int64? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?/)
        else { return nil }
        func field(_ text: Substring?) -> Int64 { text.flatMap { Int64($0) } ?? 0 }
        let (year, month, day) = (field(match.1), field(match.2), field(match.3))
        let (hour, minute, second) = (field(match.4), field(match.5), field(match.6))
        guard let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 61,
            let offset = offset(match.8)
        else { return nil }
        let fraction = match.7.map { Int64($0 + String(repeating: "0", count: 9 - $0.count)) ?? 0 } ?? 0
        let seconds = date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(fraction)
        return overflow || carry ? nil : sum
    }

    /// Converts from Foundation's seconds since 2001.
    static func nanoseconds(sinceReferenceDate seconds: Double) -> Int64 {
        let value = (seconds + 978_307_200) * 1e9
        guard !value.isNaN else { return 0 }
        return value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
    }

    private static func offset(_ text: Substring?) -> Int64? {
        guard let text, text != "Z" else { return 0 }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard let value = Int64(digits), value % 100 < 60, value / 100 < 24 else { return nil }
        let seconds = value / 100 * 3_600 + value % 100 * 60
        return text.first == "-" ? -seconds : seconds
    }
}
