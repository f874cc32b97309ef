package import Basics
import CLinux
import Glibc

/// Stores facts about a blob beside its bytes, where the file system has extended attributes: an edit's seal, or the
/// attributes of a file being written. A blob has only one of these at a time.
extension ContentStore {
    private static let attribute = "user.seal"

    /// Returns the seal of a blob; nil if it has none or the file system has no attributes.
    package func seal(of blob: BlobName) throws(Errno) -> EditSeal? {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: EditSeal.size)
        let count = fgetxattr(descriptor, Self.attribute, &bytes, bytes.count)
        // A longer attribute is not this program's seal.
        guard count >= 0 || [ENODATA, ENOTSUP, ERANGE].contains(errno) else { throw Errno(errno, "fgetxattr") }
        return count == bytes.count ? EditSeal(decoding: bytes) : nil
    }

    /// Stores a seal. Changes only the blob's change time.
    package func set(_ seal: EditSeal, of blob: BlobName) throws(Errno) {
        let descriptor = try open(blob)
        defer { close(descriptor) }
        let bytes = seal.encoded
        try check("fsetxattr") { fsetxattr(descriptor, Self.attribute, bytes, bytes.count, 0) }
    }

    /// Stores attributes not yet in the row of an open file.
    ///
    /// - Returns: Whether the file system could store them.
    package func set(_ attributes: UnrecordedAttributes, descriptor: Int32) throws(Errno) -> Bool {
        let bytes = attributes.encoded
        if fsetxattr(descriptor, Self.attribute, bytes, bytes.count, 0) == 0 { return true }
        // The row then gets them immediately.
        guard [ENOTSUP, ENOSPC, EDQUOT, E2BIG].contains(errno) else { throw Errno(errno, "fsetxattr") }
        return false
    }

    /// Returns the last attributes set while the file was written; nil if none.
    package func unrecordedAttributes(descriptor: Int32) throws(Errno) -> UnrecordedAttributes? {
        var bytes = [UInt8](repeating: 0, count: UnrecordedAttributes.size)
        let count = fgetxattr(descriptor, Self.attribute, &bytes, bytes.count)
        guard count >= 0 || [ENODATA, ENOTSUP, ERANGE].contains(errno) else { throw Errno(errno, "fgetxattr") }
        return count == bytes.count ? UnrecordedAttributes(decoding: bytes) : nil
    }

    /// As above, for a closed blob.
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
