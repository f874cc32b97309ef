import Glibc

extension UnsafeMutablePointer<dirent> {
    /// The entry name returned by readdir(3). An entry is only as long as its name (`d_reclen`): copying the field
    /// `d_name`, declared with 256 bytes, may read unmapped memory.
    package var nameBytes: [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let start = UnsafeRawPointer(self).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        return Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }

    package var name: String { String(decoding: nameBytes, as: UTF8.self) }
}
