package import Basics
import Glibc

extension CivilDate {
    /// The day of a time in the system's time zone, or in UTC if it is unknown.
    package init(localDayOf time: Timestamp) {
        var seconds = time_t(time.split.seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else {
            let day = Int64(seconds) / 86_400
            self.init(daysSince1970: seconds < 0 && seconds % 86_400 != 0 ? day - 1 : day)
            return
        }
        self =
            CivilDate(year: Int64(parts.tm_year) + 1900, month: Int64(parts.tm_mon) + 1, day: Int64(parts.tm_mday))
            ?? CivilDate(daysSince1970: 0)
    }

    /// `2026-11-23`.
    package var text: String {
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}
