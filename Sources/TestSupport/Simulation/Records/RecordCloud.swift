import Basics
import CloudModel
import Records

/// The part of the log about files of transactions and baselines.
struct RecordCloud {
    struct Entry {
        let version: VersionID
        let file: RecordFile
        let bytes: [UInt8]
        /// By the writer's clock.
        let time: Timestamp
        /// Whether its device rewrote it after its removal.
        var isRewritten = false
    }

    /// A device's write, possibly overtaken by later ones on the way to the log.
    enum Upload {
        case file(RecordFile, time: Timestamp)
        /// A device that died before noting a written file writes it again: a mistake.
        case again(RecordFile, time: Timestamp)
        case part(RecordBaseline.Name, Int, [UInt8])
        case head(RecordBaseline.Name, [UInt8])
        /// The end of the files and baselines represented by a newer baseline.
        case removal(of: [DeviceID: UInt64], baselines: [RecordBaseline.Name])
    }

    struct Baseline {
        var head: [UInt8]?
        var parts: [Int: [UInt8]] = [:]
    }

    /// All files that the log has or had.
    private(set) var entries: [Entry] = []
    private(set) var baselines: [RecordBaseline.Name: Baseline] = [:]
    private(set) var removed: [DeviceID: UInt64] = [:]
    private var changes: UInt64 = 0

    mutating func append(_ upload: Upload) throws -> String {
        changes += 1
        switch upload {
        case .file(let file, let time):
            let version = VersionID(sequence: LogSequence(changes), index: 0)
            entries.append(Entry(version: version, file: file, bytes: try file.encoded(), time: time))
            return "file \(file.number) of \(file.deviceName) is in the log as \(changes)"
        case .again(let file, let time):
            guard file.number <= removed[file.device] ?? 0 else { return "file \(file.number) is there already" }
            let version = VersionID(sequence: LogSequence(changes), index: 0)
            entries.append(
                Entry(version: version, file: file, bytes: try file.encoded(), time: time, isRewritten: true))
            return "file \(file.number) of \(file.deviceName) is in the log once more, as \(changes)"
        case .part(let name, let number, let bytes):
            baselines[name, default: Baseline()].parts[number] = bytes
            return "part \(number) of baseline \(name.text) is in the log"
        case .head(let name, let bytes):
            baselines[name, default: Baseline()].head = bytes
            return "the head of baseline \(name.text) is in the log"
        case .removal(let files, let names):
            for (device, number) in files { removed[device] = max(removed[device] ?? 0, number) }
            for name in names { baselines[name] = nil }
            return "files are removed through \(files.map { "\($0.key.value).\($0.value)" }.sorted())"
        }
    }

    var end: RecordPosition {
        RecordPosition(version: entries.last?.version ?? RecordPosition.start.version, file: .max, place: .max)
    }

    /// The files visible to devices.
    var files: [Entry] { entries.filter { $0.isRewritten || $0.file.number > removed[$0.file.device] ?? 0 } }

    /// The files that the log has or had, each once.
    var allFiles: [Entry] { entries.filter { !$0.isRewritten } }

    func entry(_ number: UInt64, of device: DeviceID) -> Entry? {
        entries.first { $0.file.device == device && $0.file.number == number }
    }

    func file(_ number: UInt64, of device: DeviceID) -> RecordFile? { entry(number, of: device)?.file }

    /// Returns the complete baselines, in the order of their ends.
    func completeBaselines(isComplete: (RecordBaseline, Baseline) -> Bool) throws -> [RecordBaseline] {
        try baselines.values.compactMap { baseline -> RecordBaseline? in
            guard let bytes = baseline.head else { return nil }
            let head = try RecordBaseline(decoding: bytes)
            return isComplete(head, baseline) ? head : nil
        }.sorted { ($0.end, $0.name) < ($1.end, $1.name) }
    }
}

extension RecordBaseline.Name {
    var text: String { "\(device.value).\(number)" }
}
