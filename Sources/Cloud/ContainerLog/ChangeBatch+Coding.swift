import Basics
import CloudModel

/// The encoding of a batch in the log; for its layout, see docs/LOG.md. Each batch has a unique encoding: equal batches
/// are equal bytes.
extension ChangeBatch {
    package static let format: UInt8 = 1
    /// An entry's limits, so that no single entry uses much of a device's memory or creates a large transaction.
    package static let maximumChanges = 10_000
    package static let maximumPackages = 4_096
    package static let maximumBytes = 4 << 20
    package static let maximumDeviceNameBytes = 255
    /// PATH_MAX of Linux without its final NUL.
    package static let maximumLinkBytes = 4095

    /// The rules named by the entry: a release without them must stop instead of folding it.
    package var rules: UInt16 { FoldRules.needed(by: self).version }

    package func encoded() throws(LogError) -> [UInt8] {
        try checkLimits()
        var writer = ByteWriter(reservingCapacity: 64 + changes.count * 96)
        writer.append(byte: Self.format)
        writer.append(fixed: rules)
        writer.append(fixed: device.value)
        writer.append(string: deviceName)
        writer.append(varint: deviceSequence)
        writer.append(fixed: time.nanoseconds)
        writer.append(base)
        writer.append(packages)
        writer.append(varint: collection)
        writer.append(varint: keyEpoch)
        writer.append(varint: UInt64(changes.count))
        for change in changes { writer.append(change) }
        guard writer.bytes.count <= Self.maximumBytes else { throw .tooLarge("\(writer.bytes.count) bytes") }
        return writer.bytes
    }

    /// Decodes an entry. Any bytes either decode or throw ``LogError/tooNew(format:known:)``, ``LogError/rulesTooNew(needed:known:)`` or
    /// ``LogError/damaged(_:)``.
    package init(decoding bytes: some Collection<UInt8>) throws(LogError) {
        guard bytes.count <= Self.maximumBytes else { throw .damaged("\(bytes.count) bytes, too many for an entry") }
        var reader = ByteReader(bytes)
        // The bytes after these two may differ between formats, so each is checked before the next is read.
        let format = try reader.intact { reader throws(ByteCodingError) in try reader.byte() }
        guard format <= Self.format else { throw .tooNew(format: format, known: Self.format) }
        guard format == Self.format else { throw .damaged("an invalid format \(format)") }
        let rules = try reader.intact { reader throws(ByteCodingError) in try reader.fixed(UInt16.self) }
        let known = ContainerReducer.knownRules
        guard rules <= known else { throw .rulesTooNew(needed: rules, known: known) }
        guard rules > 0 else { throw .damaged("rules 0") }
        self = try reader.intact { reader throws(ByteCodingError) in try reader.batch() }
    }

    private func checkLimits() throws(LogError) {
        guard changes.count <= Self.maximumChanges else { throw .tooLarge("\(changes.count) changes") }
        guard deviceName.utf8.count <= Self.maximumDeviceNameBytes else { throw .tooLarge("the device's name") }
        guard packages.count <= Self.maximumPackages else { throw .tooLarge("\(packages.count) packages") }
        for case .create(let id, _, _, _, .symlink(let target)) in changes
        where target.count > Self.maximumLinkBytes {
            throw .tooLarge("the target of link \(id) has \(target.count) bytes")
        }
        for case .setValue(let key, let value, _) in changes
        where !KeyValueLimits.allows(key: key) || value?.count ?? 0 > KeyValueLimits.valueBytes {
            throw .tooLarge("the key “\(key.prefix(100))”, or its value")
        }
    }
}

extension ByteReader {
    /// Reads a value, or throws a `damaged` error for the entry.
    fileprivate mutating func intact<T>(
        _ read: (inout ByteReader) throws(ByteCodingError) -> T
    ) throws(LogError) -> T {
        do throws(ByteCodingError) {
            return try read(&self)
        } catch {
            throw .damaged("\(error)")
        }
    }

    fileprivate mutating func batch() throws(ByteCodingError) -> ChangeBatch {
        let device = DeviceID(try fixed())
        let deviceName = try string()
        guard deviceName.utf8.count <= ChangeBatch.maximumDeviceNameBytes else { throw .invalid("a long device name") }
        let deviceSequence = try varint()
        // A device continues counting from its last batch; from this number on, it could not.
        guard deviceSequence < UInt64(Int64.max) else { throw .invalid("the batch number \(deviceSequence)") }
        let time = Timestamp(nanoseconds: try fixed())
        let base = try logPosition()
        let packages = try packageVersions()
        let collection = try varint()
        let keyEpoch = try varint()
        let count = try count(minimumBytes: 3)
        guard count <= ChangeBatch.maximumChanges else { throw .invalid("\(count) changes, too many for an entry") }
        var changes: [Change] = []
        changes.reserveCapacity(count)
        for _ in 0..<count { changes.append(try change()) }
        try expectEnd()
        return ChangeBatch(
            device: device, deviceName: deviceName, deviceSequence: deviceSequence, time: time, base: base,
            packages: packages, collection: collection, keyEpoch: keyEpoch, changes: changes)
    }
}
