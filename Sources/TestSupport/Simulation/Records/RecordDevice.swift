import Basics
import CloudModel
import Records
import TestSupport

/// A device with its own store, which works offline as long as it likes.
struct RecordDevice {
    let number: Int
    /// What the log says, as far as this device has read it.
    private(set) var confirmed: FlawedRecords
    /// Own transactions that the log does not have yet, or that this device has not read back from it.
    private(set) var pending: [Committed] = []
    /// The version of the schema that its program has.
    var version: UInt64 = 1
    private var order = RecordFileOrder()
    /// The last transaction that it has applied.
    private(set) var base = RecordPosition.start
    private var files: UInt64 = 0
    private var seen = 0
    private var isDeclared: UInt64 = 0
    private let mistake: RecordMistake?

    struct Committed {
        var transaction: RecordTransaction
        /// The file that carries it, once there is one.
        var file: UInt64?
    }

    init(number: Int, mistake: RecordMistake?) {
        (self.number, self.mistake) = (number, mistake)
        confirmed = FlawedRecords(mistake)
    }

    var id: DeviceID { DeviceID(UInt64(number) + 1) }

    /// What the device shows: the log, and then its own transactions as if they were at the log's end.
    func view() throws -> DictionaryRecords {
        var view = confirmed
        for (place, committed) in pending.enumerated() {
            let position = RecordPosition(version: Self.end, file: 0, place: UInt32(place))
            _ = try RecordReducer().fold(committed.transaction, of: id, at: position, into: &view)
        }
        return view.records
    }

    /// Returns the rows that became others because of own transactions that the log does not have.
    func unions(in view: DictionaryRecords) -> [RowUnion] {
        view.aliases.filter { $0.value.position.version == Self.end }.map { RowUnion(row: $0.key, key: $0.value.key) }
    }

    private static let end = VersionID(sequence: LogSequence(UInt64.max), index: 0)

    /// Commits a transaction; its rules go with the first one of a version of the schema.
    mutating func commit(_ changes: [RecordChange], clock: Timestamp, unions: [RowUnion]) {
        let rules = isDeclared == version ? [] : RecordSchema.rules(version: version)
        isDeclared = version
        let transaction = RecordTransaction(
            base: base, time: clock, unions: unions, rules: rules, changes: changes)
        pending.append(Committed(transaction: transaction))
    }

    /// Writes some of the transactions that have no file yet into one.
    mutating func publish(_ random: inout SeededGenerator, cloud: RecordCloud) -> RecordFile? {
        let open = pending.indices.filter { pending[$0].file == nil }
        guard !open.isEmpty else { return nil }
        files += 1
        let chosen = open.prefix(random.number(1..<open.count + 1))
        for index in chosen { pending[index].file = files }
        var transactions = chosen.map { pending[$0].transaction }
        if mistake == .claimsToKnowAll {
            for index in transactions.indices { transactions[index].base = cloud.end }
        }
        return RecordFile(
            store: ItemID(high: 1, low: 2), device: id, deviceName: "device \(number)", number: files,
            transactions: transactions)
    }

    /// Reads what the cloud has since the last time.
    mutating func sync(with cloud: RecordCloud) throws {
        if mistake == .foldsAsArrived || mistake == .foldsByClock { return try syncWrongly(with: cloud) }
        for entry in cloud.entries[seen...] {
            order.note(entry.file.number, of: entry.file.device, version: entry.version)
        }
        seen = cloud.entries.count
        while let place = order.next, let file = cloud.file(place.number, of: place.device) {
            try fold(file, at: place.version)
            order.advance()
        }
    }

    private mutating func fold(_ file: RecordFile, at version: VersionID) throws {
        var file = file
        if mistake == .skipsChange, number == 0, let last = file.transactions.indices.last,
            file.transactions[last].changes.count > 1
        {
            file.transactions[last].changes.removeLast()
        }
        _ = try RecordReducer().fold(file, at: version, into: &confirmed)
        base = RecordPosition(version: version, file: file.number, place: UInt32(file.transactions.count - 1))
        if file.device == id { pending.removeAll { $0.file == file.number } }
    }

    private mutating func syncWrongly(with cloud: RecordCloud) throws {
        var fresh = Array(cloud.entries[seen...])
        seen = cloud.entries.count
        if mistake == .foldsByClock { fresh.sort { $0.time < $1.time } }
        if mistake == .foldsAsArrived, number == 1 { fresh.reverse() }
        fresh.sort { $0.file.device == $1.file.device && $0.file.number < $1.file.number }
        var waiting = fresh
        while let index = waiting.firstIndex(where: { confirmed.lastFile(of: $0.file.device) + 1 == $0.file.number }) {
            let entry = waiting.remove(at: index)
            try fold(entry.file, at: entry.version)
        }
    }

    /// Dies and starts again: what was committed and sent is there.
    mutating func crash(with cloud: RecordCloud) throws {
        if mistake == .losesPending, pending.last?.file == nil { _ = pending.popLast() }
        guard mistake == .countsFileTwice, let last = cloud.entries.last, seen == cloud.entries.count else { return }
        guard confirmed.lastFile(of: last.file.device) == last.file.number else { return }
        confirmed.forgetFile(of: last.file.device)
        _ = try RecordReducer().fold(last.file, at: last.version, into: &confirmed)
    }
}

/// The log, as far as it is about files of transactions.
struct RecordCloud {
    struct Entry {
        let version: VersionID
        let file: RecordFile
        /// By the writer's clock.
        let time: Timestamp
    }

    private(set) var entries: [Entry] = []

    mutating func append(_ file: RecordFile, time: Timestamp) {
        let version = VersionID(sequence: LogSequence(UInt64(entries.count + 1)), index: 0)
        entries.append(Entry(version: version, file: file, time: time))
    }

    var end: RecordPosition {
        RecordPosition(version: entries.last?.version ?? RecordPosition.start.version, file: .max, place: .max)
    }

    func file(_ number: UInt64, of device: DeviceID) -> RecordFile? {
        entries.first { $0.file.device == device && $0.file.number == number }?.file
    }
}
