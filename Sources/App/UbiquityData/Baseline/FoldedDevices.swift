import Basics
import CloudModel
import Records

/// Each device's folding progress, in the database.
struct FoldedDevices {
    let statements: StatementCache

    /// Records a folded file, with its last transaction's base.
    func advance(_ file: RecordFile, at place: RecordFileOrder.Place, bytes: [UInt8]) throws {
        var chain = file.number == 1 ? FileChain() : try self.chain(of: place.device)
        chain?.append(bytes)
        try set(place, base: file.transactions.last?.base ?? .start, chain)
    }

    private func set(_ place: RecordFileOrder.Place, base: RecordPosition, _ chain: FileChain?) throws {
        try statements.run(
            "UPDATE _ubq_device SET sequence = ?, change = ?, base = ?, digest = ?, bytes = ? WHERE device = ?",
            [
                .bits(place.version.sequence.value), .integer(Int64(place.version.index)), .blob(base.encoded()),
                chain.map { .blob($0.digest.bytes) } ?? .null, chain.map { .bits($0.bytes) } ?? .null,
                .bits(place.device.value),
            ])
    }

    /// Returns the checksum of a device's folded files; nil if unknown.
    func chain(of device: DeviceID) throws -> FileChain? {
        try statements.first(
            "SELECT digest, bytes FROM _ubq_device WHERE device = ?", [.bits(device.value)]
        ) { Self.chain($0[0], $0[1]) } ?? nil
    }

    private static func chain(_ digest: RecordValue, _ bytes: RecordValue) -> FileChain? {
        guard case .blob(let digest) = digest, let digest = Digest(digest), case .integer(let bytes) = bytes else {
            return nil
        }
        return FileChain(digest: digest, bytes: UInt64(bitPattern: bytes))
    }

    /// Returns the devices in a baseline's form; nil if anything about them is unknown.
    func all() throws -> [RecordBaseline.Device]? {
        let devices = try statements.all(
            "SELECT device, name, file, sequence, change, base, digest, bytes FROM _ubq_device ORDER BY device"
        ) { row -> RecordBaseline.Device? in
            guard let chain = Self.chain(row[6], row[7]) else { return nil }
            return RecordBaseline.Device(
                device: DeviceID(UInt64(bitPattern: row.integer(0))),
                name: String(decoding: row[1].bytes, as: UTF8.self),
                file: UInt64(bitPattern: row.integer(2)),
                version: VersionID(
                    sequence: LogSequence(UInt64(bitPattern: row.integer(3))),
                    index: UInt32(truncatingIfNeeded: row.integer(4))),
                base: try RecordPosition(decoding: row[5].bytes), chain: chain)
        }
        let known = devices.compactMap { $0 }
        return known.count == devices.count ? known : nil
    }

    /// Replaces all of them with a baseline's devices.
    func replace(by devices: [RecordBaseline.Device], in records: inout StoredRecords) throws {
        try statements.run("DELETE FROM _ubq_device")
        for device in devices {
            try records.setLastFile(device.file, of: device.device, name: device.name)
            try set(device.place, base: device.base, device.chain)
        }
    }

    /// The places after which ``RecordFileOrder`` continues.
    func places() throws -> [RecordFileOrder.Place] {
        try statements.all("SELECT device, file, sequence, change FROM _ubq_device") { row in
            RecordFileOrder.Place(
                device: DeviceID(UInt64(bitPattern: row.integer(0))), number: UInt64(bitPattern: row.integer(1)),
                version: VersionID(
                    sequence: LogSequence(UInt64(bitPattern: row.integer(2))),
                    index: UInt32(truncatingIfNeeded: row.integer(3))))
        }
    }
}
