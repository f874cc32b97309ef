import Basics
package import CloudModel

/// The stored form of a chunk in a cloud: magic, version, codec, plain length, payload. The chunk's name is the digest
/// of its plain bytes, so frames of one chunk may differ (compression level, no compression) and still be equivalent.
package enum ChunkFrame {
    /// The most plain bytes of a frame, manifests included; bounds the memory allocated before a frame's bytes are
    /// checked.
    package static let maximumPlainLength = 64 << 20
    /// The most bytes of a content's chunk, regardless of the cutting parameters.
    package static let maximumChunkLength = 16 << 20

    private enum Codec: UInt8 {
        case raw = 0
        case zstd = 1
    }

    /// "UbCk".
    private static let magic: [UInt8] = [0x55, 0x62, 0x43, 0x6B]
    private static let version: UInt8 = 1
    /// Magic, version, codec and the longest varint.
    private static let maximumHeaderBytes = 4 + 1 + 1 + 10
    private static let level: Int32 = 3

    /// Returns the frame of a chunk: compressed if that saves at least a twentieth.
    package static func encode(_ plain: UnsafeRawBufferPointer) -> [UInt8] {
        if Compressibility.isWorthTrying(plain) {
            let limit = plain.count - plain.count / 20
            let header = header(.zstd, plain.count)
            if let frame = Zstandard.compress(plain, level: level, header: header, limit: limit) { return frame }
        }
        return header(.raw, plain.count) + plain
    }

    package static func encode(_ plain: [UInt8]) -> [UInt8] { plain.withUnsafeBytes { encode($0) } }

    /// Returns the plain bytes, checked against the chunk's name. A frame claiming more than `limit` bytes is damaged.
    package static func decode(
        _ frame: [UInt8], expecting id: ChunkID, limit: Int = maximumPlainLength
    ) throws(ChunkError) -> [UInt8] {
        let (codec, length, start) = try readHeader(frame, limit: limit)
        let plain = try payload(of: frame, from: start, codec: codec, length: length)
        guard Digest.of(plain) == id else {
            throw ChunkError(.damaged, "The bytes of chunk \(id) do not match its digest.")
        }
        return plain
    }

    /// The number of bytes at the beginning of a frame needed by ``plainLength(of:)`` and ``isWrong(_:for:)``.
    package static let headerLength = maximumHeaderBytes

    /// Returns the plain length claimed by a frame, in bytes, which determines the memory for decoding. Only the
    /// frame's beginning is needed.
    package static func plainLength(of frame: [UInt8]) throws(ChunkError) -> Int {
        try readHeader(frame, limit: maximumPlainLength).length
    }

    /// Whether an uncompressed frame's bytes do not match its name. False for a compressed frame, which would have to
    /// be decompressed first, and for bytes that are not a frame of this version.
    package static func isWrong(_ frame: [UInt8], for id: ChunkID) -> Bool {
        guard let (codec, length, start) = try? readHeader(frame, limit: maximumPlainLength), codec == .raw else {
            return false
        }
        guard frame.count - start == length else { return true }
        return Digest.of(Array(frame[start...])) != id
    }

    private static func header(_ codec: Codec, _ length: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(raw: magic)
        writer.append(byte: version)
        writer.append(byte: codec.rawValue)
        writer.append(varint: UInt64(length))
        return writer.bytes
    }

    private static func readHeader(
        _ frame: [UInt8], limit: Int
    ) throws(ChunkError) -> (codec: Codec, length: Int, start: Int) {
        let header = frame.prefix(maximumHeaderBytes)
        var reader = ByteReader(header)
        do {
            guard try reader.raw(magic.count).elementsEqual(magic) else {
                throw ChunkError(.damaged, "This is not a chunk: its header is wrong.")
            }
            let version = try reader.byte()
            guard version == Self.version else { throw unknown("version", version) }
            let code = try reader.byte()
            guard let codec = Codec(rawValue: code) else { throw unknown("compression", code) }
            let length = try reader.varint()
            guard length <= UInt64(min(limit, maximumPlainLength)) else {
                throw ChunkError(.damaged, "A chunk claims \(length) bytes, more than the limit of \(limit).")
            }
            return (codec, Int(length), header.count - reader.remaining)
        } catch let error as ChunkError {
            throw error
        } catch {
            throw ChunkError(
                error as? ByteCodingError == .truncated ? .truncated : .damaged,
                "A chunk's header is damaged: \(error).")
        }
    }

    private static func unknown(_ what: String, _ value: UInt8) -> ChunkError {
        ChunkError(
            .tooNew,
            "This needs a newer version of ubiquity: a chunk has \(what) \(value). Install a newer version on this device."
        )
    }

    private static func payload(
        of frame: [UInt8], from start: Int, codec: Codec, length: Int
    ) throws(ChunkError) -> [UInt8] {
        let stored = frame.count - start
        if codec == .zstd {
            // Typed throws do not pass through the generic closure call, but a `Result` does.
            return try frame.withUnsafeBytes { bytes in
                Result { () throws(ChunkError) in
                    try Zstandard.decompress(UnsafeRawBufferPointer(rebasing: bytes[start...]), length: length)
                }
            }.get()
        }
        guard stored >= length else {
            throw ChunkError(.truncated, "A chunk of \(length) bytes is truncated after \(stored).")
        }
        guard stored == length else {
            throw ChunkError(.damaged, "A chunk is followed by \(stored - length) extra bytes.")
        }
        return Array(frame[start...])
    }
}
