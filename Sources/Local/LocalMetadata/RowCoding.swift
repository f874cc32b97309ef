import Basics
import CloudModel
import GRDB

package import struct Foundation.Data

/// Values of the model as columns. A value that can not be is a damaged database, never a crash.
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

    init(row: Row, _ index: Int) throws { try self.init(data: row[index] as Data) }

    init(row: Columns, _ index: Int) throws {
        self = try row.withBytes(index) { bytes in
            guard bytes.count == 16 else { throw MetadataError.damagedRow("an item id of \(bytes.count) bytes") }
            return ItemID(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
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

    init(row: Row, _ index: Int) throws {
        do { try self.init(bytes: row[index] as Data) } catch {
            throw MetadataError.damagedRow("a name that is \(error)")
        }
    }

    init(row: Columns, _ index: Int) throws {
        do { self = try row.withBytes(index) { try ItemName(bytes: $0) } } catch {
            throw MetadataError.damagedRow("a name that is \(error)")
        }
    }
}

extension ContentReference {
    /// Nil where no digest is stored.
    init?(row: Row, digest: Int, size: UInt64, layout: Int) throws {
        guard let data = row[digest] as Data? else { return nil }
        guard let kind = Layout(rawValue: UInt8(truncatingIfNeeded: row[layout] as Int64)) else {
            throw MetadataError.damagedRow("an unknown content layout")
        }
        self.init(digest: try Digest(data: data), size: size, layout: kind)
    }

    /// As above, of a row that is read in place.
    init?(row: Columns, digest: Int, size: UInt64, layout: Int) throws {
        guard !row.isNull(digest) else { return nil }
        guard let kind = Layout(rawValue: UInt8(truncatingIfNeeded: row[layout] as Int64)) else {
            throw MetadataError.damagedRow("an unknown content layout")
        }
        guard let value = row.withBytes(digest, { Digest($0) }) else {
            throw MetadataError.damagedRow("a short digest")
        }
        self.init(digest: value, size: size, layout: kind)
    }
}

/// Extended attributes as one column: count, then name and value, counted; NULL when there are none.
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
