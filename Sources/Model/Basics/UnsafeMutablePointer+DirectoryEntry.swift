import Glibc

extension UnsafeMutablePointer<dirent> {
    /// The name of the entry that readdir(3) returned. An entry is only as long as its name (`d_reclen`): copying the field `d_name`, which is
    /// declared with 256 bytes, may read memory that is not mapped.
    package var nameBytes: [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let start = UnsafeRawPointer(self).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        return Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }

    package var name: String { String(decoding: nameBytes, as: UTF8.self) }
}
