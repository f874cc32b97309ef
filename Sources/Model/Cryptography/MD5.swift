package import protocol FoundationEssentials.ContiguousBytes

/// MD5 (RFC 1321), as a checksum for stores that accept no other. It only protects against accidents, as collisions are
/// easy to produce.
package enum MD5 {
    // OpenSSL counts references to it with atomic numbers, and nothing changes it.
    nonisolated(unsafe) private static let function = OpenSSL.hashFunction("MD5")

    package static func hash(_ bytes: some ContiguousBytes) -> [UInt8] {
        OpenSSL.hash(bytes, with: function, byteCount: 16)
    }
}
