package import Basics
import CLinux
import Glibc

/// Seals of edits, where the file system has extended attributes.
extension ContentStore {
    private static let attribute = "user.seal"

    /// The seal that a blob was given; nil where it has none or there can be none.
    package func seal(of blob: BlobName) throws(Errno) -> EditSeal? {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: EditSeal.size)
        let count = fgetxattr(descriptor, Self.attribute, &bytes, bytes.count)
        // A longer one is none of ours.
        guard count >= 0 || [ENODATA, ENOTSUP, ERANGE].contains(errno) else { throw Errno(errno, "fgetxattr") }
        return count == bytes.count ? EditSeal(decoding: bytes) : nil
    }

    /// Moves the blob's change time, and no other attribute.
    package func set(_ seal: EditSeal, of blob: BlobName) throws(Errno) {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        let bytes = seal.encoded
        try check("fsetxattr") { fsetxattr(descriptor, Self.attribute, bytes, bytes.count, 0) }
    }
}
