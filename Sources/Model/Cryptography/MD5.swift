package import protocol FoundationEssentials.ContiguousBytes

/// MD5 (RFC 1321), as a checksum for stores that accept no other. It protects against nothing: two texts with one MD5 are easily made.
package enum MD5 {
    // OpenSSL counts references to it with atomic numbers, and nothing changes it.
    nonisolated(unsafe) private static let function = OpenSSL.hashFunction("MD5")

    package static func hash(_ bytes: some ContiguousBytes) -> [UInt8] {
        OpenSSL.hash(bytes, with: function, byteCount: 16)
    }
}
