import CloudModel
import Records
import Synchronization
import TestSupport

@testable import UbiquityData

/// A log in memory. Files that devices wrote are on their way until the test delivers them, in any order.
final class MemoryCloud: Sendable {
    struct File: Hashable {
        let device: DeviceID
        let number: UInt64
        let bytes: [UInt8]
    }

    private struct State {
        var underWay: [File] = []
        var log: [File] = []
    }

    private let state = Mutex(State())

    var log: [File] { state.withLock { $0.log } }
    var isQuiet: Bool { state.withLock { $0.underWay.isEmpty } }

    func write(_ file: File) throws {
        try state.withLock { state in
            let known = (state.underWay + state.log).first { $0.device == file.device && $0.number == file.number }
            if let known {
                guard known == file else { throw UbiquitousDatabaseError.numberTaken(file: "\(file.number)") }
                return
            }
            state.underWay.append(file)
        }
    }

    /// Puts one of the files that are under way into the log.
    func deliver(_ random: inout SeededGenerator) {
        state.withLock { state in
            guard !state.underWay.isEmpty else { return }
            state.log.append(state.underWay.remove(at: random.number(0..<state.underWay.count)))
        }
    }

    /// Puts all files into the log, in the order in which they were written.
    func deliver() {
        state.withLock { state in
            state.log += state.underWay
            state.underWay = []
        }
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
    enum Death: Error { case beforeWriting, afterWriting, reading }

    let cloud: MemoryCloud
    var device = DeviceID(0)
    /// How many entries the device knows; nil for all.
    var known: Int?
    var death: Death?

    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place] {
        cloud.log.prefix(known ?? Int.max).enumerated().compactMap { place, file in
            guard file.number > folded[file.device] ?? 0 else { return nil }
            return RecordFileOrder.Place(
                device: file.device, number: file.number, version: MemoryCloud.version(place))
        }
    }

    func read(_ file: RecordFileOrder.Place) throws -> [UInt8] {
        if death == .reading { throw Death.reading }
        return cloud.log.first { $0.device == file.device && $0.number == file.number }?.bytes ?? []
    }

    func write(_ bytes: [UInt8], number: UInt64) throws {
        if death == .beforeWriting { throw Death.beforeWriting }
        try cloud.write(MemoryCloud.File(device: device, number: number, bytes: bytes))
        if death == .afterWriting { throw Death.afterWriting }
    }
}
