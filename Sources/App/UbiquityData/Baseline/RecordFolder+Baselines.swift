import CloudModel
import Foundation
import Records

/// Baselines in the folder: `DATABASE/DEVICE/NUMBER.baseline` is a head, and `DATABASE/DEVICE/NUMBER.PLACE.part` its parts.
extension RecordFolder {
    private static let head = ".baseline"
    private static let part = ".part"
    /// Maximum number of listings until two are equal.
    private static let listings = 5

    private func path(_ part: Int?, of name: RecordBaseline.Name) -> String {
        let start = "\(folder(of: name.device))/\(Self.digits(name.number))"
        return part.map { "\(start).\(Self.digits(UInt64($0)))\(Self.part)" } ?? start + Self.head
    }

    // MARK: Reading

    /// Lists until nothing changes: a replaced baseline is in an earlier folder, or the new baseline in a later folder.
    func baselines() throws -> [ListedBaseline] {
        var last = try listBaselines()
        for _ in 1..<Self.listings {
            let next = try listBaselines()
            if next == last { return next }
            last = next
        }
        throw UbiquitousDatabaseError.changing(path: path)
    }

    private func listBaselines() throws -> [ListedBaseline] {
        var found: [ListedBaseline] = []
        for device in try devices() {
            let names = try names(in: folder(of: device))
            var parts: [UInt64: Set<Int>] = [:]
            for name in names {
                guard let (number, place) = Self.place(name),
                    try version(path(place, of: RecordBaseline.Name(device: device, number: number))) != nil
                else { continue }
                parts[number, default: []].insert(place)
            }
            for name in names where name.hasSuffix(Self.head) {
                guard let number = UInt64(name.dropLast(Self.head.count)) else { continue }
                let baseline = RecordBaseline.Name(device: device, number: number)
                let head = path(nil, of: baseline)
                guard head.hasSuffix("/\(name)"), let version = try version(head) else { continue }
                found.append(ListedBaseline(name: baseline, version: version, parts: parts[number] ?? []))
            }
        }
        return found.sorted { $0.name < $1.name }
    }

    /// Returns the baseline's number and the part's place.
    private static func place(_ name: String) -> (UInt64, Int)? {
        let fields = name.split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count == 3, ".\(fields[2])" == part, let number = UInt64(fields[0]), let place = UInt32(fields[1]),
            name == "\(digits(number)).\(digits(UInt64(place)))\(part)"
        else { return nil }
        return (number, Int(place))
    }

    func read(_ part: Int?, of baseline: RecordBaseline.Name) throws -> [UInt8] {
        try contents(of: path(part, of: baseline), limit: RecordBaseline.maximumFileBytes)
    }

    // MARK: Writing

    var takesBaselines: Bool { true }

    func write(_ bytes: [UInt8], _ file: BaselineFile) throws {
        let name = RecordBaseline.Name(device: device, number: file.number)
        try write(bytes, to: path(file.part, of: name), limit: RecordBaseline.maximumFileBytes)
    }

    func remove(_ files: [DeviceID: UInt64], baselines: [RecordBaseline.Name]) throws {
        for (device, last) in files {
            for (number, file) in try numbers(of: device) where number <= last { try remove(file) }
        }
        for baseline in baselines {
            let parts = try names(in: folder(of: baseline.device)).compactMap(Self.place)
            for (number, place) in parts where number == baseline.number { try remove(path(place, of: baseline)) }
            try remove(path(nil, of: baseline))
        }
    }

    func remove(after last: UInt64, of device: DeviceID) throws {
        for (number, file) in try numbers(of: device) where number > last { try remove(file) }
    }

    private func remove(_ file: String) throws {
        do {
            try FileManager.default.removeItem(atPath: file)
        } catch CocoaError.fileNoSuchFile {
            // A peer removed it.
        }
    }
}
