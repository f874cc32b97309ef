import DeviceSupport
import Foundation
import LocalMetadata
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Sync

@Suite("Figures of downloads")
struct DownloadStatisticsTests {
    private typealias Amount = DownloadStatistics.Amount

    @Test("amounts add up by day and by cause")
    func adds() throws {
        var ledger = DownloadStatistics()
        ledger.add(Amount(documents: 1, bytes: 10), for: .program("cp"), on: 100)
        ledger.add(Amount(bytes: 5), for: .program("cp"), on: 100)
        ledger.add(Amount(documents: 1, bytes: 7), for: .kept, on: 100)
        ledger.add(Amount(documents: 1, bytes: 1), for: .unknown, on: 101)
        let days = ledger.days(2, until: 101)
        #expect(days.map(\.number) == [101, 100])
        #expect(days[1].programs == ["cp": Amount(documents: 1, bytes: 15)])
        #expect(days[1].causes == ["kept": Amount(documents: 1, bytes: 7)])
        #expect(ledger.days(1, until: 101).map(\.number) == [101])
    }

    @Test(
        "of more than 64 programs a day those that fetched least are added up, and no byte is lost", arguments: 0..<20)
    func bounded(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var ledger = DownloadStatistics()
        var totals: [Int64: Amount] = [:]
        for _ in 0..<2_000 {
            let day = Int64(random.number(0..<30))
            let amount = Amount(documents: 1, bytes: UInt64(random.number(0..<1_000_000)))
            let cause = random.chance(10) ? DownloadCause.update : .program("p\(random.number(0..<300))")
            ledger.add(amount, for: cause, on: day)
            totals[day, default: Amount()].add(amount)
        }
        ledger.add(Amount(documents: 3, bytes: 1 << 40), for: .program("largest"), on: 29)
        totals[29, default: Amount()].add(Amount(documents: 3, bytes: 1 << 40))
        let days = ledger.days(30, until: 29)
        #expect(Dictionary(uniqueKeysWithValues: days.map { ($0.number, $0.total) }) == totals, "seed \(seed)")
        #expect(days.allSatisfy { $0.programs.count <= DownloadStatistics.maximumPrograms }, "seed \(seed)")
        for number in 0..<100 { ledger.add(Amount(documents: 1, bytes: 1), for: .program("q\(number)"), on: 29) }
        #expect(ledger.days(1, until: 29)[0].programs["largest"]?.bytes == 1 << 40, "seed \(seed)")
    }

    @Test("the extremes of days and amounts do no harm, and a new day takes the place of the one 30 days before")
    func extremes() {
        var ledger = DownloadStatistics()
        for day in [Int64.min, -1, 0, 29, 30, .max] {
            #expect((0..<30).contains(DownloadStatistics.place(of: day)))
            ledger.add(Amount(documents: .max, bytes: .max), for: .program("a"), on: day)
            ledger.add(Amount(documents: 1, bytes: 1), for: .program("a"), on: day)
            #expect(ledger.days(.max, until: day).count <= 30 && ledger.days(.min, until: day).count <= 30)
        }
        var month = DownloadStatistics()
        for day in Int64(0)..<100 { month.add(Amount(documents: 1), for: .kept, on: day) }
        #expect(month.days(30, until: 99).map(\.number) == Array((70..<100).reversed()))
    }

    @Test("a stored day is read as it was, and any bytes are read as a day or refused")
    func coding() throws {
        var ledger = DownloadStatistics()
        ledger.add(Amount(documents: 2, bytes: 9), for: .program("ä"), on: 3)
        ledger.add(Amount(documents: 1, bytes: 4), for: .whenSpace, on: 3)
        let day = try #require(ledger.days(1, until: 3).first)
        let bytes = try JSONEncoder().encode(day)
        #expect(try JSONDecoder().decode(DownloadStatistics.Day.self, from: bytes) == day)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            var damaged = Array(bytes)
            for _ in 0..<random.number(1..<4) {
                damaged[random.number(0..<damaged.count)] = UInt8(random.number(0..<256))
            }
            // A refusal is as good as a day.
            let read = try? JSONDecoder().decode(DownloadStatistics.Day.self, from: Data(damaged))
            #expect((read?.programs.count ?? 0) <= DownloadStatistics.maximumPrograms)
        }
    }

    @Test("figures are stored when they are saved, and a crash loses only what was counted since")
    func stored() throws {
        let device = try KernellessDevice()
        let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        func figures() -> DownloadFigures { DownloadFigures(device.metadata, log: log) { 20_000 } }
        let first = figures()
        let counted = first.counter(for: .program("cp"))
        counted(10)
        counted(5)
        #expect(figures().days(30).isEmpty)
        try first.save()
        first.counter(for: .program("cp"))(1_000)
        let saved = figures().days(30)
        #expect(saved.map(\.programs) == [["cp": Amount(documents: 1, bytes: 15)]])
        try first.save()
        #expect(figures().days(30).map(\.programs) == [["cp": Amount(documents: 2, bytes: 1_015)]])
        let writes = device.metadata.writes
        try first.save()
        #expect(device.metadata.writes == writes, "what has not changed is not written")
    }
}
