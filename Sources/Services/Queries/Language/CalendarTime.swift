/// Times as predicates have them: ISO 8601, in UTC unless an offset says otherwise; of a day alone, its beginning.
enum CalendarTime {
    /// Nanoseconds since 1970; nil for what is no such time. `2026-11-21`, `2026-11-21T14:03:12.5Z`, `2026-11-21 14:03+01:00`.
    static func nanoseconds(_ text: String) -> Int64? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?/)
        else { return nil }
        func field(_ text: Substring?) -> Int64 { text.flatMap { Int64($0) } ?? 0 }
        let (year, month, day) = (field(match.1), field(match.2), field(match.3))
        let (hour, minute, second) = (field(match.4), field(match.5), field(match.6))
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second < 61, let offset = offset(match.8)
        else { return nil }
        let fraction = match.7.map { Int64($0 + String(repeating: "0", count: 9 - $0.count)) ?? 0 } ?? 0
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(fraction)
        return overflow || carry ? nil : sum
    }

    /// Foundation counts seconds from 2001.
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

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Of the Gregorian calendar; years are counted from March, so that the leap day is the last one.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
