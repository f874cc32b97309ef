package import Basics
import CLinux
import Glibc

/// Stores what is said of a blob beside its bytes, where the file system has extended attributes: the seal of an edit, or the attributes of
/// a file that is being written. A blob has one of them at a time.
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

    /// Stores attributes that the row of an open file does not have yet.
    ///
    /// - Returns: Whether the file system could store them.
    package func set(_ attributes: UnrecordedAttributes, descriptor: Int32) throws(Errno) -> Bool {
        let bytes = attributes.encoded
        if fsetxattr(descriptor, Self.attribute, bytes, bytes.count, 0) == 0 { return true }
        // The row then gets them at once.
        guard [ENOTSUP, ENOSPC, EDQUOT, E2BIG].contains(errno) else { throw Errno(errno, "fsetxattr") }
        return false
    }

    /// Returns the attributes that were set last while the file was written; nil where there are none.
    package func unrecordedAttributes(descriptor: Int32) throws(Errno) -> UnrecordedAttributes? {
        var bytes = [UInt8](repeating: 0, count: UnrecordedAttributes.size)
        let count = fgetxattr(descriptor, Self.attribute, &bytes, bytes.count)
        guard count >= 0 || [ENODATA, ENOTSUP, ERANGE].contains(errno) else { throw Errno(errno, "fgetxattr") }
        return count == bytes.count ? UnrecordedAttributes(decoding: bytes) : nil
    }

    /// As above, of a blob that is not open.
    package func unrecordedAttributes(of blob: BlobName) throws(Errno) -> UnrecordedAttributes? {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        return try unrecordedAttributes(descriptor: descriptor)
    }

    /// Removes them, since the row has them or newer ones.
    package func removeUnrecordedAttributes(descriptor: Int32) throws(Errno) {
        guard try unrecordedAttributes(descriptor: descriptor) != nil else { return }
        try check("fremovexattr") { fremovexattr(descriptor, Self.attribute) }
    }
}
