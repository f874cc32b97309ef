import Basics
import Cryptography
import Foundation

/// The number of a table's rows, and an order-independent sum over their digests.
///
/// It finds rows that are missing, added or changed by mistake or damage. It does not protect against an attacker with
/// write access to one of the databases.
struct TableSum: Hashable, Sendable {
    private(set) var rows: UInt64 = 0
    private var words: [UInt64] = [0, 0, 0, 0]

    mutating func add(_ page: StoredPage) {
        for row in page.rows {
            rows &+= 1
            let digest = Self.digest(row)
            for index in words.indices {
                words[index] &+= digest[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
    }

    /// Returns the digest of a row's values, each with its type and its length.
    private static func digest(_ row: [StorageValue]) -> [UInt8] {
        var hash = SHA256()
        for value in row {
            var head = ByteWriter()
            switch value {
            case .null: head.append(byte: 0)
            case .integer(let number):
                head.append(byte: 1)
                head.append(varint: UInt64(bitPattern: number))
            case .text(let text):
                head.append(byte: 2)
                head.append(varint: UInt64(text.utf8.count))
            case .bytes(let bytes):
                head.append(byte: 3)
                head.append(varint: UInt64(bytes.count))
            }
            hash.update(head.bytes)
            switch value {
            case .text(let text): hash.update(Data(text.utf8))
            case .bytes(let bytes): hash.update(bytes)
            case .null, .integer: break
            }
        }
        return hash.finish()
    }
}
