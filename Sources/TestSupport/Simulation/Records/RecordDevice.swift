import Basics
import CloudModel
import Records
import TestSupport

/// A device with its own store, working offline for any time.
struct RecordDevice {
    let number: Int
    /// The log's rows, as far as this device has read it.
    var confirmed: FlawedRecords
    /// Own transactions missing from the log, or not read back from it yet.
    var pending: [Committed] = []
    /// Its program's schema version.
    var version: UInt64 = 1
    /// How far it has folded the files of each device.
    var folded: [DeviceID: RecordBaseline.Device] = [:]
    /// The last transaction applied.
    var base = RecordPosition.start
    /// The files of its baseline not written yet.
    var outgoing: [RecordCloud.Upload] = []
    /// The number of its last baseline.
    var baselines: UInt64 = 0
    /// When it found each baseline complete, by its own clock.
    var completed: [RecordBaseline.Name: Int] = [:]
    /// The baselines below which it has removed everything they represent.
    var pruned: Set<RecordBaseline.Name> = []
    /// The last file written.
    private(set) var last: RecordFile?
    /// Its clock, in days.
    var days = 0
    private var files: UInt64 = 0
    private var seen = 0
    private var isDeclared: UInt64 = 0
    let mistake: RecordMistake?

    static let store = ItemID(high: 1, low: 2)

    struct Committed {
        var transaction: RecordTransaction
        /// The file carrying it, once there is one.
        var file: UInt64?
    }

    init(number: Int, mistake: RecordMistake?) {
        (self.number, self.mistake) = (number, mistake)
        confirmed = FlawedRecords(mistake)
    }

    var id: DeviceID { DeviceID(UInt64(number) + 1) }

    /// The device's visible rows: the log, and then its own transactions as if at the log's end.
    func view() throws -> DictionaryRecords {
        var view = confirmed
        for (place, committed) in pending.enumerated() {
            let position = RecordPosition(version: Self.end, file: 0, place: UInt32(place))
            _ = try RecordReducer().fold(committed.transaction, of: id, at: position, into: &view)
        }
        return view.records
    }

    /// Returns the rows united with others by own transactions not in the log.
    func unions(in view: DictionaryRecords) -> [RowUnion] {
        view.aliases.filter { $0.value.position.version == Self.end }.map { RowUnion(row: $0.key, key: $0.value.key) }
    }

    static let end = VersionID(sequence: LogSequence(UInt64.max), index: 0)

    /// Commits a transaction; the first transaction of a schema version carries its rules.
    mutating func commit(_ changes: [RecordChange], clock: Timestamp, unions: [RowUnion]) {
        let rules = isDeclared == version ? [] : RecordSchema.rules(version: version)
        isDeclared = version
        let transaction = RecordTransaction(
            base: base, time: clock, unions: unions, rules: rules, changes: changes)
        pending.append(Committed(transaction: transaction))
    }

    /// Writes some of the transactions without a file into a new one.
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
        let file = RecordFile(
            store: Self.store, device: id, deviceName: "device \(number)", number: files,
            transactions: transactions)
        last = file
        return file
    }

    /// Reads the cloud's additions since the last time. Returns whether it took a baseline.
    @discardableResult
    mutating func sync(with cloud: RecordCloud) throws -> Bool {
        if mistake == .foldsAsArrived || mistake == .foldsByClock {
            try syncWrongly(with: cloud)
            return false
        }
        let tookBaseline = try takeBaseline(of: cloud)
        try fold(cloud.files)
        seen = cloud.entries.count
        try noteBaselines(cloud)
        return tookBaseline
    }

    /// Folds all files the log ever had, including removed files.
    mutating func foldAll(of cloud: RecordCloud) throws { try fold(cloud.allFiles) }

    private mutating func fold(_ entries: [RecordCloud.Entry]) throws {
        var order = RecordFileOrder(folded: folded.values.map(\.place))
        for entry in entries { order.note(entry.file.number, of: entry.file.device, version: entry.version) }
        while let place = order.next,
            let entry = entries.first(where: { $0.file.device == place.device && $0.file.number == place.number })
        {
            try fold(entry.file, at: place.version, bytes: entry.bytes)
            order.advance()
        }
    }

    private mutating func fold(_ file: RecordFile, at version: VersionID, bytes: [UInt8]) throws {
        var file = file
        if mistake == .skipsChange, number == 0, let last = file.transactions.indices.last,
            file.transactions[last].changes.count > 1
        {
            file.transactions[last].changes.removeLast()
        }
        _ = try RecordReducer().fold(file, at: version, into: &confirmed)
        base = RecordPosition(version: version, file: file.number, place: UInt32(file.transactions.count - 1))
        var chain = folded[file.device]?.chain ?? FileChain()
        chain.append(bytes)
        folded[file.device] = RecordBaseline.Device(
            device: file.device, name: file.deviceName, file: file.number, version: version,
            base: file.transactions.last?.base ?? .start, chain: chain)
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
            try fold(entry.file, at: entry.version, bytes: entry.bytes)
        }
    }

    /// Dies and restarts: committed and sent transactions survive.
    mutating func crash(with cloud: RecordCloud) throws {
        if mistake == .losesPending, pending.last?.file == nil { _ = pending.popLast() }
        guard mistake == .countsFileTwice, let last = cloud.entries.last, seen == cloud.entries.count else { return }
        guard confirmed.lastFile(of: last.file.device) == last.file.number else { return }
        confirmed.forgetFile(of: last.file.device)
        _ = try RecordReducer().fold(last.file, at: last.version, into: &confirmed)
    }
}
