import CCrypto

package import protocol FoundationEssentials.ContiguousBytes

/// SHA-256 (FIPS 180-4) of bytes arriving in parts.
package struct SHA256: ~Copyable {
    package static let byteCount = 32

    // Looked up once, because a lookup takes longer than the hash of a short text. OpenSSL counts references to it with atomic numbers.
    nonisolated(unsafe) private static let function = OpenSSL.hashFunction("SHA2-256")

    private let state: OpaquePointer

    package init() {
        guard let state = EVP_MD_CTX_new(), EVP_DigestInit_ex2(state, Self.function, nil) == 1 else {
            OpenSSL.outOfMemory()
        }
        self.state = state
    }

    deinit { EVP_MD_CTX_free(state) }

    package mutating func update(_ bytes: some ContiguousBytes) {
        let isDone = OpenSSL.withBytes(of: bytes) { start, count in EVP_DigestUpdate(state, start, count) }
        if isDone != 1 { OpenSSL.outOfMemory() }
    }

    /// Returns the hash. Nothing can be added after that.
    package mutating func finish() -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: Self.byteCount)
        if EVP_DigestFinal_ex(state, &hash, nil) != 1 { OpenSSL.outOfMemory() }
        return hash
    }

    /// Returns the hash of bytes in memory.
    package static func hash(_ bytes: some ContiguousBytes) -> [UInt8] {
        OpenSSL.hash(bytes, with: function, byteCount: byteCount)
    }
}
