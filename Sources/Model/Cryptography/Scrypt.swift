import CCrypto

package import protocol FoundationEssentials.ContiguousBytes

/// Keys from passwords, slow to try (scrypt, RFC 7914).
package enum Scrypt {
    /// Returns `byteCount` bytes; nil if the cost exceeds the limits of RFC 7914, or if memory is short.
    ///
    /// - Parameters:
    ///   - rounds: A power of two, greater than 1. Each takes 128 times `blockSize` bytes of memory.
    ///   - passes: The number of repetitions; the memory stays the same.
    package static func key(
        from password: some ContiguousBytes, salt: some ContiguousBytes, rounds: UInt32, blockSize: UInt16,
        passes: UInt16, byteCount: Int
    ) -> [UInt8]? {
        guard rounds > 1, rounds & (rounds - 1) == 0, blockSize > 0, passes > 0, byteCount > 0 else { return nil }
        // OpenSSL's memory for these: the rounds, the blocks of all passes, and a few blocks for itself.
        let block = 128 * UInt64(blockSize)
        let memory = (UInt64(rounds) + UInt64(passes) + 4) * block
        var key = [UInt8](repeating: 0, count: byteCount)
        let isDone = OpenSSL.withBytes(of: password) { password, passwordCount in
            OpenSSL.withBytes(of: salt) { salt, saltCount in
                EVP_PBE_scrypt_ex(
                    UnsafeRawPointer(password).assumingMemoryBound(to: CChar.self), passwordCount, salt, saltCount,
                    UInt64(rounds), UInt64(blockSize), UInt64(passes), memory, &key, byteCount, OpenSSL.context, nil)
            }
        }
        guard isDone == 1 else {
            ERR_clear_error()
            return nil
        }
        return key
    }
}
