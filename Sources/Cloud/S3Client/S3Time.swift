import Basics

/// The time formats in stores' responses.
enum S3Time {
    /// Parses `2013-05-24T00:00:00Z`, with or without fractions of a second, or `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110, 5.6.7).
    static func parse(_ text: String) -> Timestamp? {
        if let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?Z/) {
            return time([match.1, match.2, match.3, match.4, match.5, match.6])
        }
        if let match = text.wholeMatch(of: /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/),
            let month = months.firstIndex(of: match.2)
        {
            return time([match.3, Substring(String(month + 1)), match.1, match.4, match.5, match.6])
        }
        return nil
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func time(_ fields: [Substring]) -> Timestamp? {
        let numbers = fields.compactMap { Int64($0) }
        guard numbers.count == 6, numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60,
            let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2])
        else { return nil }
        return Timestamp(seconds: date.daysSince1970 * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
    }

    /// Returns this device's clock difference from the store, such as `61 minutes behind`.
    static func difference(of own: Timestamp, from other: Timestamp) -> String {
        let seconds = own.duration(since: other).components.seconds
        let (count, unit) = abs(seconds) < 7200 ? (abs(seconds) / 60, "minute") : (abs(seconds) / 3600, "hour")
        return "\(count) \(unit)\(count == 1 ? "" : "s") \(seconds < 0 ? "behind" : "ahead")"
    }
}
