import Basics
import CloudModel

/// The encoding of a baseline's head; docs/DATABASES.md has the layout.
extension RecordBaseline {
    /// The largest file of a baseline.
    package static let maximumFileBytes = 128 << 20
    package static let maximumParts = 1 << 16

    package func encoded() throws(RecordFileError) -> [UInt8] {
        guard parts.count <= Self.maximumParts else { throw .tooLarge("a baseline of \(parts.count) files") }
        let names = Set(rules.flatMap(\.names)).sorted()
        guard names.count <= RecordFile.maximumNames else {
            throw .tooLarge("\(names.count) names of tables and columns")
        }
        var writer = RecordWriter(names: names)
        writer.bytes.append(fixed: store.high)
        writer.bytes.append(fixed: store.low)
        writer.bytes.append(fixed: name.device.value)
        writer.bytes.append(varint: name.number)
        writer.append(end)
        writer.append(list: names)
        writer.bytes.append(varint: UInt64(devices.count))
        for device in devices {
            writer.bytes.append(fixed: device.device.value)
            writer.bytes.append(string: device.name)
            writer.bytes.append(varint: device.file)
            writer.bytes.append(varint: device.version.sequence.value)
            writer.bytes.append(varint: UInt64(device.version.index))
            writer.append(device.base)
            writer.bytes.append(raw: device.chain.digest.bytes)
            writer.bytes.append(varint: device.chain.bytes)
        }
        writer.bytes.append(varint: UInt64(rules.count))
        for rules in rules { writer.append(rules) }
        writer.bytes.append(varint: UInt64(parts.count))
        for part in parts {
            writer.bytes.append(varint: part.bytes)
            writer.bytes.append(fixed: part.checksum)
        }
        return try BaselineEnvelope.head.encoded(writer.bytes.bytes)
    }

    /// Decodes a head. Any bytes either decode or throw ``RecordFileError``.
    package init(decoding file: [UInt8]) throws(RecordFileError) {
        let payload = try BaselineEnvelope.head.payload(of: file)
        do throws(ByteCodingError) {
            var reader = RecordReader(Array(payload))
            self = try reader.baseline()
        } catch {
            throw .damaged("\(error)")
        }
        // Encodings are unique: no release of this program wrote different bytes.
        guard let canonical = try? encoded(), canonical == file else { throw .damaged("an unusual encoding") }
        try check()
    }

    private func check() throws(RecordFileError) {
        guard name.number > 0, devices.allSatisfy({ $0.file > 0 }) else { throw .damaged("a number that none has") }
        for (one, next) in zip(devices, devices.dropFirst()) where one.device >= next.device {
            throw .damaged("a device twice")
        }
        for (one, next) in zip(rules, rules.dropFirst()) where one.table >= next.table {
            throw .damaged("a table twice")
        }
        for rules in rules { try rules.check() }
        guard parts.allSatisfy({ $0.bytes <= UInt64(Self.maximumFileBytes) }) else {
            throw .damaged("a part too large")
        }
    }
}

extension RecordReader {
    fileprivate mutating func baseline() throws(ByteCodingError) -> RecordBaseline {
        let store = ItemID(high: try bytes.fixed(), low: try bytes.fixed())
        let name = RecordBaseline.Name(device: DeviceID(try bytes.fixed()), number: try bytes.varint())
        let end = try position()
        try readNames()
        let devices = try list(of: 50) { reader throws(ByteCodingError) in try reader.device() }
        let rules = try list(of: 6) { reader throws(ByteCodingError) in try reader.rules() }
        let parts = try list(of: 5) { reader throws(ByteCodingError) in
            RecordBaseline.Part(bytes: try reader.bytes.varint(), checksum: try reader.bytes.fixed())
        }
        guard parts.count <= RecordBaseline.maximumParts else { throw .invalid("\(parts.count) parts") }
        try bytes.expectEnd()
        return RecordBaseline(store: store, name: name, end: end, devices: devices, rules: rules, parts: parts)
    }

    private mutating func device() throws(ByteCodingError) -> RecordBaseline.Device {
        RecordBaseline.Device(
            device: DeviceID(try bytes.fixed()), name: try bytes.string(), file: try bytes.varint(),
            version: VersionID(sequence: LogSequence(try bytes.varint()), index: try index()), base: try position(),
            chain: FileChain(digest: try digest(), bytes: try bytes.varint()))
    }

    private mutating func digest() throws(ByteCodingError) -> Digest {
        guard let digest = Digest(try bytes.raw(32)) else { throw .invalid("a digest") }
        return digest
    }
}
