package import Basics
package import CloudModel

/// The first byte of binary bodies, reserved for distinguishing later formats.
private let version: UInt8 = 1

/// A page of a log: the position of its first entry, followed by consecutive entries.
package struct LogPage: Hashable, Sendable {
    package let first: LogSequence
    package let payloads: [[UInt8]]

    package init(first: LogSequence, payloads: [[UInt8]]) {
        self.first = first
        self.payloads = payloads
    }

    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: payloads.reduce(32) { $0 + $1.count + 10 })
        writer.append(byte: version)
        writer.append(varint: first.value)
        writer.append(varint: UInt64(payloads.count))
        for payload in payloads { writer.append(counted: payload) }
        return writer.bytes
    }

    /// Decodes any bytes or throws, in time and memory proportional to the actual size of `bytes`.
    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = try framesReader(bytes)
        let first = try reader.varint()
        let count = try reader.count()
        guard first <= UInt64.max - UInt64(count) else { throw .invalid("positions beyond the last one") }
        var payloads: [[UInt8]] = []
        for _ in 0..<count { payloads.append(Array(try reader.counted())) }
        try reader.expectEnd()
        self.init(first: LogSequence(first), payloads: payloads)
    }
}

/// A list of chunk names: those queried by a device, or the missing ones among them.
package struct ChunkNames: Hashable, Sendable {
    package let ids: [ChunkID]
    package init(_ ids: [ChunkID]) { self.ids = ids }

    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: ids.count * 32 + 11)
        writer.append(byte: version)
        writer.append(varint: UInt64(ids.count))
        for id in ids { writer.append(raw: id.bytes) }
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = try framesReader(bytes)
        let count = try reader.count(minimumBytes: 32)
        var ids: [ChunkID] = []
        ids.reserveCapacity(count)
        for _ in 0..<count { ids.append(try reader.chunkID()) }
        try reader.expectEnd()
        self.init(ids)
    }
}

/// Many small chunks in a single body.
package struct ChunkBatch: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package let id: ChunkID
        package let frame: [UInt8]
        package init(id: ChunkID, frame: [UInt8]) {
            self.id = id
            self.frame = frame
        }
    }

    package let parts: [Part]
    package init(_ parts: [Part]) { self.parts = parts }

    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: parts.reduce(16) { $0 + $1.frame.count + 42 })
        writer.append(byte: version)
        writer.append(varint: UInt64(parts.count))
        for part in parts {
            writer.append(raw: part.id.bytes)
            writer.append(counted: part.frame)
        }
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(ByteCodingError) {
        var reader = try framesReader(bytes)
        // A part has at least an id of 32 bytes and a byte for the length of its frame.
        let count = try reader.count(minimumBytes: 33)
        var parts: [Part] = []
        parts.reserveCapacity(count)
        for _ in 0..<count { parts.append(Part(id: try reader.chunkID(), frame: Array(try reader.counted()))) }
        try reader.expectEnd()
        self.init(parts)
    }
}

private func framesReader(_ bytes: [UInt8]) throws(ByteCodingError) -> ByteReader {
    var reader = ByteReader(bytes)
    let found = try reader.byte()
    guard found == version else { throw .invalid("frames of the unknown version \(found)") }
    return reader
}

extension ByteReader {
    fileprivate mutating func chunkID() throws(ByteCodingError) -> ChunkID {
        guard let id = ChunkID(try raw(32)) else { throw .truncated }
        return id
    }
}
