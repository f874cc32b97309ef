import Glibc
import LocalMetadata

extension ContentStore {
    /// The first bytes of an SQLite database (sqlite.org/fileformat2.html, "The Database Header").
    private static let databaseHeader = Array("SQLite format 3\0".utf8)

    /// Returns whether a blob begins like an SQLite database. An unreadable blob does not.
    package func isSQLiteDatabase(_ blob: BlobName) -> Bool {
        guard let descriptor = try? open(blob) else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.databaseHeader.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == Self.databaseHeader
    }
}
