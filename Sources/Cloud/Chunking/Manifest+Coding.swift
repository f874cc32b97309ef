import Basics
import CloudModel

/// The encoding of a manifest: version, size, count, then 32 bytes of name and a length per chunk.
extension Manifest {
    private static let version: UInt8 = 1
    /// A name and a length of at least one byte.
    private static let minimumEntryBytes = 33
    /// A name and a length of at most four bytes, and the longest header before them.
    private static let maximumEntryBytes = 36
    private static let headerBytes = 1 + 10 + 10

    /// The most chunks that fit the largest frame: about 460 GiB of average chunks, or 115 GiB of minimum-length
    /// chunks.
    package static let maximumCount = (ChunkFrame.maximumPlainLength - headerBytes) / maximumEntryBytes

    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: Self.headerBytes + chunks.count * Self.maximumEntryBytes)
        writer.append(byte: Self.version)
        writer.append(varint: size)
        writer.append(varint: UInt64(chunks.count))
        for chunk in chunks {
            for word in [chunk.id.words.0, chunk.id.words.1, chunk.id.words.2, chunk.id.words.3] {
                writer.append(fixed: word.bigEndian)
            }
            writer.append(varint: UInt64(chunk.length))
        }
        return writer.bytes
    }

    /// Decodes the output of ``encoded()``; any bytes either decode or throw. `size` is the expected size of the
    /// content.
    package init(decoding bytes: [UInt8], size: UInt64) throws(ChunkError) {
        do {
            self = try Self.read(bytes)
        } catch let error as ChunkError {
            throw error
        } catch {
            throw ChunkError(
                error as? ByteCodingError == .truncated ? .truncated : .damaged, "A manifest is damaged: \(error).")
        }
        guard self.size == size else {
            throw ChunkError(.damaged, "A manifest is for a content of \(self.size) bytes, not of \(size).")
        }
    }

    private static func read(_ bytes: [UInt8]) throws -> Manifest {
        var reader = ByteReader(bytes)
        let (size, count) = try readHeader(&reader)
        let chunks = try entries(&reader, count: count, size: size)
        try reader.expectEnd()
        return Manifest(chunks)
    }

    private static func readHeader(_ reader: inout ByteReader) throws -> (size: UInt64, count: Int) {
        let version = try reader.byte()
        guard version == Self.version else {
            throw ChunkError(.tooNew, "A manifest has version \(version). Update Ubiquity on this device.")
        }
        let size = try reader.varint()
        let count = try reader.count(minimumBytes: minimumEntryBytes)
        guard count > 1, count <= maximumCount else {
            throw ChunkError(.damaged, "A manifest lists \(count) chunks, which is out of range.")
        }
        return (size, count)
    }

    /// The fields before the chunks, and the position of the first chunk.
    static func header(of bytes: [UInt8]) throws(ChunkError) -> (size: UInt64, count: Int, position: Int) {
        var reader = ByteReader(bytes)
        do {
            let (size, count) = try readHeader(&reader)
            return (size, count, bytes.count - reader.remaining)
        } catch let error as ChunkError {
            throw error
        } catch {
            throw ChunkError(
                error as? ByteCodingError == .truncated ? .truncated : .damaged, "A manifest is damaged: \(error).")
        }
    }

    private static func entries(_ reader: inout ByteReader, count: Int, size: UInt64) throws -> [ChunkEntry] {
        var chunks: [ChunkEntry] = []
        chunks.reserveCapacity(count)
        var rest = size
        for _ in 0..<count {
            let id = Digest(words: (try word(&reader), try word(&reader), try word(&reader), try word(&reader)))
            let length = try reader.varint()
            guard length > 0, length <= min(rest, UInt64(ChunkFrame.maximumChunkLength)) else {
                throw ChunkError(.damaged, "A manifest lists a chunk of \(length) bytes where only \(rest) are left.")
            }
            rest -= length
            chunks.append(ChunkEntry(id: id, length: Int(length)))
        }
        guard rest == 0 else {
            throw ChunkError(.damaged, "The chunks of a manifest are \(rest) bytes shorter than its size.")
        }
        return chunks
    }

    private static func word(_ reader: inout ByteReader) throws(ByteCodingError) -> UInt64 {
        UInt64(bigEndian: try reader.fixed(UInt64.self))
    }
}
