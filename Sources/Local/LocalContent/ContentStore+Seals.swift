package import Basics
import CLinux
import Glibc

/// Stores the seals of edits, where the file system has extended attributes.
extension ContentStore {
    private static let attribute = "user.seal"

    /// Returns the seal of a blob; nil where it has none or the file system has no attributes.
    package func seal(of blob: BlobName) throws(Errno) -> EditSeal? {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: EditSeal.size)
        let count = fgetxattr(descriptor, Self.attribute, &bytes, bytes.count)
        // A longer attribute is no seal of this program.
        guard count >= 0 || [ENODATA, ENOTSUP, ERANGE].contains(errno) else { throw Errno(errno, "fgetxattr") }
        return count == bytes.count ? EditSeal(decoding: bytes) : nil
    }

    /// Stores a seal. Changes the blob's change time, and no other attribute.
    package func set(_ seal: EditSeal, of blob: BlobName) throws(Errno) {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        let bytes = seal.encoded
        try check("fsetxattr") { fsetxattr(descriptor, Self.attribute, bytes, bytes.count, 0) }
    }
}
