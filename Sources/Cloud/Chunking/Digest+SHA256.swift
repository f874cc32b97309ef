package import CloudModel
import Cryptography

extension CloudModel.Digest {
    /// SHA-256 of bytes in memory.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> Self {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish().withUnsafeBytes { result in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: result.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            return Self(words: (word(0), word(1), word(2), word(3)))
        }
    }

    package static func of(_ bytes: [UInt8]) -> Self { bytes.withUnsafeBytes { of($0) } }

    /// The name of the content without bytes.
    package static let ofNothing = Self.of([])
}
