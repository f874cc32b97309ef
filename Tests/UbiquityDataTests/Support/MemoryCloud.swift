import CloudModel
import Records
import Synchronization
import TestSupport

@testable import UbiquityData

/// A log in memory. Devices' writes and removals are in flight until the test delivers them, in any order.
final class MemoryCloud: Sendable {
    struct File: Hashable {
        enum Kind: Hashable { case transactions, head, part(Int) }

        let device: DeviceID
        let number: UInt64
        var kind = Kind.transactions
        let bytes: [UInt8]

        func isNamed(like other: File) -> Bool {
            device == other.device && number == other.number && kind == other.kind
        }
    }

    enum Entry: Hashable { case added(File), removed(File) }

    private struct State {
        var underWay: [Entry] = []
        var log: [Entry] = []
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { $0.log } }
    var isQuiet: Bool { state.withLock { $0.underWay.isEmpty } }

    /// The transaction files, current and former, in the log, with their versions.
    var places: [(file: File, version: VersionID)] {
        entries.enumerated().compactMap { place, entry in
            guard case .added(let file) = entry, file.kind == .transactions else { return nil }
            return (file, Self.version(place))
        }
    }

    var log: [File] { places.map(\.file) }

    func write(_ file: File) throws {
        // A remote removal takes effect once the log has it.
        let present = files().map(\.file)
        try state.withLock { state in
            let underWay = state.underWay.compactMap { entry in
                if case .added(let file) = entry { file } else { nil }
            }
            if let known = (present + underWay).first(where: { $0.isNamed(like: file) }) {
                guard known == file else { throw UbiquitousDatabaseError.numberTaken(file: "\(file.number)") }
                return
            }
            state.underWay.append(.added(file))
        }
    }

    /// Whether a file of that name is in the log or in flight.
    func isKnown(_ file: File) -> Bool {
        if files().contains(where: { $0.file.isNamed(like: file) }) { return true }
        return state.withLock { state in
            state.underWay.contains { entry in
                if case .added(let known) = entry { known.isNamed(like: file) } else { false }
            }
        }
    }

    func remove(_ file: File) { state.withLock { $0.underWay.append(.removed(file)) } }

    /// Puts a pending write or removal into the log.
    func deliver(_ random: inout SeededGenerator) {
        state.withLock { state in
            guard !state.underWay.isEmpty else { return }
            state.log.append(state.underWay.remove(at: random.number(0..<state.underWay.count)))
        }
    }

    /// Puts the last write into the log: it overtakes the others.
    func deliverLast() {
        state.withLock { state in if let last = state.underWay.popLast() { state.log.append(last) } }
    }

    /// Puts everything into the log, in the order of writing.
    func deliver() {
        state.withLock { state in
            state.log += state.underWay
            state.underWay = []
        }
    }

    /// Puts the log back to its first entries. Nothing is in flight any longer.
    func putBack(to count: Int) { state.withLock { $0 = State(log: Array($0.log.prefix(count))) } }

    /// The files found by a device that knows the first entries of the log.
    func files(known: Int? = nil) -> [(file: File, version: VersionID)] {
        var files: [(file: File, version: VersionID)] = []
        for (place, entry) in entries.prefix(known ?? Int.max).enumerated() {
            switch entry {
            case .added(let file): files.append((file, Self.version(place)))
            case .removed(let file): files.removeAll { $0.file.isNamed(like: file) }
            }
        }
        return files
    }

    /// The transactions in the log, in its order.
    var transactions: [RecordTransaction] {
        get throws { try log.flatMap { try RecordFile(decoding: $0.bytes).transactions } }
    }

    static func version(_ place: Int) -> VersionID { VersionID(sequence: LogSequence(UInt64(place + 1)), index: 0) }
}

/// A device's access to the log.
struct MemoryRecords: RecordSource, RecordOutlet {
    /// Where the device dies.
    enum Death: Error { case beforeWriting, afterWriting, reading, readingPart, beforeBaseline, afterPart, removing }

    let cloud: MemoryCloud
    var device = DeviceID(0)
    /// How many entries the device knows; nil for all.
    var known: Int?
    var death: Death?

    private func found(_ device: DeviceID, _ number: UInt64, _ kind: MemoryCloud.File.Kind) -> [UInt8] {
        cloud.files(known: known).first {
            $0.file.device == device && $0.file.number == number && $0.file.kind == kind
        }?.file.bytes ?? []
    }

    // MARK: Reading

    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place] {
        cloud.files(known: known).compactMap { file, version in
            guard file.kind == .transactions, file.number > folded[file.device] ?? 0 else { return nil }
            return RecordFileOrder.Place(device: file.device, number: file.number, version: version)
        }
    }

    func read(_ file: RecordFileOrder.Place) throws -> [UInt8] {
        if death == .reading { throw Death.reading }
        return found(file.device, file.number, .transactions)
    }

    func baselines() throws -> [ListedBaseline] {
        let files = cloud.files(known: known)
        return files.filter { $0.file.kind == .head }.map { head, version in
            let parts = files.compactMap { file, _ -> Int? in
                guard case .part(let place) = file.kind, file.device == head.device, file.number == head.number else {
                    return nil
                }
                return place
            }
            let name = RecordBaseline.Name(device: head.device, number: head.number)
            return ListedBaseline(name: name, version: version, parts: Set(parts))
        }
    }

    func read(_ part: Int?, of baseline: RecordBaseline.Name) throws -> [UInt8] {
        if death == .readingPart, part ?? 0 > 0 { throw Death.readingPart }
        return found(baseline.device, baseline.number, part.map { .part($0) } ?? .head)
    }

    /// A device that knows only some entries is still reading the log.
    func followed() throws -> LogSequence? {
        known == nil ? LogSequence(UInt64(cloud.entries.count)) : nil
    }

    func versions(of files: [RecordFileOrder.Place]) throws -> [DeviceID: VersionID]? {
        let present = cloud.files()
        guard !present.isEmpty else { return nil }
        let versions = files.compactMap { place in
            present.first { file, _ in
                file.kind == .transactions && file.device == place.device && file.number == place.number
            }.map { (place.device, $0.version) }
        }
        return Dictionary(versions) { first, _ in first }
    }

    func hasLost(_ number: UInt64) throws -> Bool {
        known == nil && !cloud.isKnown(MemoryCloud.File(device: device, number: number, bytes: []))
    }

    // MARK: Writing

    func write(_ bytes: [UInt8], number: UInt64) throws {
        if death == .beforeWriting { throw Death.beforeWriting }
        try cloud.write(MemoryCloud.File(device: device, number: number, bytes: bytes))
        if death == .afterWriting { throw Death.afterWriting }
    }

    func remove(after number: UInt64, of device: DeviceID) throws {
        for (file, _) in cloud.files() where file.kind == .transactions && file.device == device && file.number > number
        {
            cloud.remove(file)
        }
    }

    func isInBaseline(_ number: UInt64) throws -> Bool {
        let files = cloud.files().map(\.file)
        let isThere = files.contains { $0.kind == .transactions && $0.device == device && $0.number == number }
        return try !isThere
            && files.contains { file in
                guard file.kind == .head else { return false }
                return try RecordBaseline(decoding: file.bytes).files[device] ?? 0 >= number
            }
    }

    var takesBaselines: Bool { true }

    func write(_ bytes: [UInt8], _ file: BaselineFile) throws {
        if death == .beforeBaseline { throw Death.beforeBaseline }
        let kind = file.part.map { MemoryCloud.File.Kind.part($0) } ?? .head
        try cloud.write(MemoryCloud.File(device: device, number: file.number, kind: kind, bytes: bytes))
        if death == .afterPart { throw Death.afterPart }
    }

    func remove(_ files: [DeviceID: UInt64], baselines: [RecordBaseline.Name]) throws {
        let names = Set(baselines)
        for (file, _) in cloud.files() {
            let isOld =
                file.kind == .transactions
                ? file.number <= files[file.device] ?? 0
                : names.contains(RecordBaseline.Name(device: file.device, number: file.number))
            guard isOld else { continue }
            cloud.remove(file)
            if death == .removing { throw Death.removing }
        }
    }
}
