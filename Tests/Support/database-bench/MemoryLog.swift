import CloudModel
import Records
import Synchronization
import UbiquityData

/// A log in memory, so that only databases are measured.
final class MemoryLog: RecordSource, RecordOutlet {
    private let files = Mutex<[[UInt8]]>([])
    private let device: DeviceID

    init(device: DeviceID) { self.device = device }

    var bytes: Int { files.withLock { $0.reduce(0) { $0 + $1.count } } }

    func write(_ bytes: [UInt8], number: UInt64) { files.withLock { $0.append(bytes) } }

    func files(after folded: [DeviceID: UInt64]) -> [RecordFileOrder.Place] {
        let count = UInt64(files.withLock { $0.count })
        return (1..<count + 1).filter { $0 > folded[device] ?? 0 }.map { number in
            RecordFileOrder.Place(
                device: device, number: number, version: VersionID(sequence: LogSequence(number), index: 0))
        }
    }

    func read(_ file: RecordFileOrder.Place) -> [UInt8] { files.withLock { $0[Int(file.number) - 1] } }

    func baselines() -> [ListedBaseline] { [] }
    func read(_ part: Int?, of baseline: RecordBaseline.Name) -> [UInt8] { [] }
}
