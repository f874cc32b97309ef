import Basics
import Glibc
import Testing

@Suite("Calendar days")
struct CivilDateTests {
    @Test("days agree with the C library's calendar, before and after 1970")
    func agreement() {
        for days in stride(from: Int64(-800_000), through: 800_000, by: 13) {
            var seconds = time_t(days * 86_400)
            var parts = tm()
            gmtime_r(&seconds, &parts)
            let date = CivilDate(daysSince1970: days)
            #expect(date.year == Int64(parts.tm_year) + 1900)
            #expect(date.month == Int64(parts.tm_mon) + 1)
            #expect(date.day == Int64(parts.tm_mday))
            #expect(date.daysSince1970 == days)
        }
    }

    @Test("a day that its month does not have is rejected")
    func invalid() {
        #expect(CivilDate(year: 2026, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2024, month: 2, day: 29) != nil)
        #expect(CivilDate(year: 1900, month: 2, day: 29) == nil)
        #expect(CivilDate(year: 2000, month: 2, day: 29) != nil)
        #expect(CivilDate(year: 2026, month: 4, day: 31) == nil)
        #expect(CivilDate(year: 2026, month: 13, day: 1) == nil)
        #expect(CivilDate(year: 2026, month: 1, day: 0) == nil)
    }

    @Test("days out of range become the nearest valid day", arguments: [Int64.min, .max])
    func extremes(days: Int64) {
        let date = CivilDate(daysSince1970: days)
        #expect(CivilDate(year: date.year, month: date.month, day: date.day) == date)
        #expect(CivilDate(year: days, month: 1, day: 1) == nil)
    }
}
