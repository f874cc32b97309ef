import CloudModel
import Records
import TestSupport
import Testing

@Suite("Order of files of transactions")
struct RecordFileOrderTests {
    private func version(_ number: Int) -> VersionID {
        VersionID(sequence: LogSequence(UInt64(number)), index: 0)
    }

    private func places(_ order: RecordFileOrder) -> [RecordFileOrder.Place] {
        var (order, places) = (order, [RecordFileOrder.Place]())
        while let place = order.next {
            places.append(place)
            order.advance()
        }
        return places
    }

    @Test("files count in the order of their versions in the log")
    func versions() {
        var order = RecordFileOrder()
        order.note(1, of: DeviceID(2), version: version(4))
        order.note(1, of: DeviceID(1), version: version(5))
        order.note(2, of: DeviceID(2), version: version(6))
        #expect(places(order).map(\.device.value) == [2, 1, 2])
    }

    @Test("a file that overtook an earlier one of its device counts after it, under its version")
    func overtaking() {
        var order = RecordFileOrder()
        order.note(2, of: DeviceID(1), version: version(1))
        order.note(1, of: DeviceID(2), version: version(2))
        #expect(order.next?.device == DeviceID(2) && order.count == 2)
        order.note(1, of: DeviceID(1), version: version(3))
        #expect(places(order).map(\.number) == [1, 1, 2])
        #expect(places(order).last?.version == version(3))
    }

    @Test("devices that read the log at different times fold the files in one order")
    func property() {
        let seed = UInt64.random(in: 0..<1 << 40)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var numbers: [UInt64: [UInt64]] = [:]
            var log: [(device: UInt64, number: UInt64)] = []
            for device in 1...3 as ClosedRange<UInt64> { numbers[device] = Array(1...8) }
            while let device = numbers.filter({ !$0.value.isEmpty }).keys.sorted().randomElement(using: &random) {
                let index = random.number(0..<min(3, numbers[device]?.count ?? 1))
                guard let number = numbers[device]?.remove(at: index) else { continue }
                log.append((device, number))
            }
            var whole = RecordFileOrder()
            for (place, file) in log.enumerated() {
                whole.note(file.number, of: DeviceID(file.device), version: version(place + 1))
            }
            var (parts, found) = (RecordFileOrder(), [RecordFileOrder.Place]())
            for (place, file) in log.enumerated() {
                parts.note(file.number, of: DeviceID(file.device), version: version(place + 1))
                guard random.chance(30) || place + 1 == log.count else { continue }
                while let next = parts.next {
                    found.append(next)
                    parts.advance()
                }
                // A restarted device continues after its last folded files.
                if random.chance(50) {
                    parts = RecordFileOrder(folded: found)
                    for (place, file) in log[...place].enumerated() {
                        parts.note(file.number, of: DeviceID(file.device), version: version(place + 1))
                    }
                }
            }
            #expect(found == places(whole) && found.count == log.count)
        }
    }
}
