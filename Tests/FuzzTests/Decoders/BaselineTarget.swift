import Basics
import CloudModel
import CloudStorage
import Records

extension FuzzTarget {
    /// Heads and parts of baselines: decoded, encoded again, taken, and followed by a file. Checksums are set right, because a fuzzer does not
    /// guess them.
    static let baselines = FuzzTarget(name: "baseline") { bytes in
        guard bytes.count > 9 else { return accepted { try RecordBaseline(decoding: bytes) } != nil }
        var checked = ByteWriter()
        checked.append(raw: bytes[..<5])
        checked.append(fixed: CRC32C.checksum(Array(bytes[9...])))
        checked.append(raw: bytes[9...])
        if let head = accepted({ try RecordBaseline(decoding: checked.bytes) }) {
            let again = accepted { try head.encoded() }
            try Violation.unless(again == checked.bytes, "a head that is encoded again differs")
            return true
        }
        var head = try BaselineSamples.head
        head.parts = [RecordBaseline.Part(of: checked.bytes)]
        guard let records = accepted({ try BaselineSamples.taken(head, checked.bytes) }) else { return false }
        try fold(records)
        return true
    } seeds: {
        [try BaselineSamples.head.encoded(), try BaselineSamples.part]
    }

    /// Whatever the rows are, folding ends, and all devices get the same.
    private static func fold(_ records: DictionaryRecords) throws {
        var file = try RecordSamples.second
        (file.number, file.device) = (1, DeviceID(9))
        var (one, two) = (records, records)
        let version = VersionID(sequence: LogSequence(9), index: 0)
        _ = accepted { try RecordReducer().fold(file, at: version, into: &one) }
        _ = accepted { try RecordReducer().fold(file, at: version, into: &two) }
        try Violation.unless(one == two, "two devices fold a file behind a baseline differently")
    }
}

/// A baseline of the rows of the sample files.
enum BaselineSamples {
    private static let name = RecordBaseline.Name(device: DeviceID(1), number: 1)
    private static let store = ItemID(high: 1, low: 2)

    static var part: [UInt8] {
        get throws {
            var part = BaselinePart(store: store, name: name, number: 0)
            let records = RecordSamples.records
            for (id, row) in records.rows.sorted(by: { $0.key < $1.key }) { part.append(.row(id, row)) }
            for (id, alias) in records.aliases.sorted(by: { $0.key < $1.key }) { part.append(.alias(id, alias)) }
            for value in records.lost { part.append(.lost(value)) }
            return try part.encoded()
        }
    }

    static var head: RecordBaseline {
        get throws {
            let version = VersionID(sequence: LogSequence(2), index: 0)
            let end = RecordPosition(version: version, file: 1, place: 2)
            let device = RecordBaseline.Device(
                device: DeviceID(2), name: "desk 2", file: 1, version: version, base: .start,
                chain: FileChain(digest: Digest(words: (7, 1, 2, 3)), bytes: 300))
            return RecordBaseline(
                store: store, name: name, end: end, devices: [device],
                rules: Array(RecordSamples.records.rules.values), parts: [RecordBaseline.Part(of: try part)])
        }
    }

    static func taken(_ head: RecordBaseline, _ part: [UInt8]) throws -> DictionaryRecords {
        var records = DictionaryRecords()
        for rules in head.rules { records.setRules(rules) }
        try BaselinePart.read(part, of: head, number: 0) { try records.restore($0) }
        return records
    }
}
