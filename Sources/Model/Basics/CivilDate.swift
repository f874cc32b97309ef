/// A day of the proleptic Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
package struct CivilDate: Hashable, Sendable {
    package let year: Int64
    /// 1 to 12.
    package let month: Int64
    /// 1 to 31.
    package let day: Int64

    /// - Returns: nil if the month has no such day, or the year has no such month.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard Self.years.contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The supported years; days before and after them become the first and the last supported day.
    private static let years: ClosedRange<Int64> = -5_000_000_000...5_000_000_000
    private static let dayRange: ClosedRange<Int64> = -1_800_000_000_000...1_800_000_000_000

    /// Converts from a day number with the algorithm `civil_from_days`. Years begin in March, so that the leap day is the last day of its
    /// year.
    package init(daysSince1970 days: Int64) {
        let shifted = min(max(days, Self.dayRange.lowerBound), Self.dayRange.upperBound) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day number, from the algorithm `days_from_civil`.
    package var daysSince1970: Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}
