import Basics
import CloudModel

package import struct Foundation.Data

/// Encodes values of the model as columns. An impossible value is reported as a damaged database, and never crashes.
extension ItemID {
    package var data: Data {
        var bytes = Data(capacity: 16)
        for word in [high, low] { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        return bytes
    }

    init(data: Data) throws {
        guard data.count == 16 else { throw MetadataError.damagedRow("an item id of \(data.count) bytes") }
        let words = data.withUnsafeBytes { raw in
            (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }
}

extension Digest {
    var data: Data { Data(bytes) }

    init(data: Data) throws {
        guard let digest = Digest(data) else { throw MetadataError.damagedRow("a digest of \(data.count) bytes") }
        self = digest
    }
}

extension ItemName {
    var data: Data { Data(bytes) }
}

extension Columns {
    func name(_ index: Int) throws -> ItemName {
        do { return try ItemName(bytes: bytes(index)) } catch {
            throw MetadataError.damagedRow("a name that is \(error)")
        }
    }

    /// Returns the content; nil if no digest is stored.
    func content(digest: Int, size: UInt64, layout: Int) throws -> ContentReference? {
        guard let data = optionalData(digest) else { return nil }
        guard let kind = ContentReference.Layout(rawValue: UInt8(truncatingIfNeeded: integer(layout))) else {
            throw MetadataError.damagedRow("an unknown content layout")
        }
        return ContentReference(digest: try Digest(data: data), size: size, layout: kind)
    }
}

/// Encodes extended attributes as a column: count, then name and value, counted; NULL if there are none.
enum ExtendedAttributes {
    static func encode(_ attributes: [String: [UInt8]]) -> Data? {
        guard !attributes.isEmpty else { return nil }
        var writer = ByteWriter()
        writer.append(varint: UInt64(attributes.count))
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            writer.append(string: name)
            writer.append(counted: value)
        }
        return Data(writer.bytes)
    }

    static func decode(_ data: Data?) throws -> [String: [UInt8]] {
        guard let data else { return [:] }
        var reader = ByteReader(data)
        var result: [String: [UInt8]] = [:]
        do {
            for _ in 0..<(try reader.count(minimumBytes: 2)) {
                result[try reader.string()] = Array(try reader.counted())
            }
            try reader.expectEnd()
        } catch { throw MetadataError.damagedRow("extended attributes where \(error)") }
        return result
    }
}
