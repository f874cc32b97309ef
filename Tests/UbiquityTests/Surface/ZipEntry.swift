import Foundation

/// An entry of a zip file, as its directory describes it, and the stored bytes.
struct ZipEntry {
    let name: String
    let checksum: Int
    let bytes: Data
}

extension Data {
    fileprivate func number(_ at: Int, _ count: Int) -> Int {
        self[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The entries of the zip file's central directory; empty if this is not a zip file.
    var zipEntries: [ZipEntry] {
        guard count >= 22, number(count - 22, 4) == 0x0605_4B50 else { return [] }
        var (entries, at) = ([ZipEntry](), number(count - 6, 4))
        for _ in 0..<number(count - 12, 2) where number(at, 4) == 0x0201_4B50 {
            let (size, length, start) = (number(at + 24, 4), number(at + 28, 2), number(at + 42, 4))
            let name = String(decoding: self[at + 46..<at + 46 + length], as: UTF8.self)
            let bytes = start + 30 + number(start + 26, 2)
            entries.append(
                ZipEntry(name: name, checksum: number(at + 16, 4), bytes: Data(self[bytes..<bytes + size])))
            at += 46 + length
        }
        return entries
    }
}
