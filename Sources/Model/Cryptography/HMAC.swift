import CCrypto

package import protocol FoundationEssentials.ContiguousBytes

/// Message authentication codes, creatable only by the holders of a key (RFC 2104).
package enum HMAC {
    /// Returns 32 bytes.
    package static func sha256(_ message: some ContiguousBytes, key: some ContiguousBytes) -> [UInt8] {
        code(of: message, key: key, hash: "SHA2-256", byteCount: 32)
    }

    /// Returns 20 bytes. For protocols that require it: the known attacks on SHA-1 do not apply to HMAC (RFC 6194).
    package static func sha1(_ message: some ContiguousBytes, key: some ContiguousBytes) -> [UInt8] {
        code(of: message, key: key, hash: "SHA1", byteCount: 20)
    }

    private static func code(
        of message: some ContiguousBytes, key: some ContiguousBytes, hash: String, byteCount: Int
    ) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: byteCount)
        let end = OpenSSL.withBytes(of: message) { message, messageCount in
            OpenSSL.withBytes(of: key) { key, keyCount in
                EVP_Q_mac(
                    OpenSSL.context, "HMAC", nil, hash, nil, key, keyCount, message, messageCount, &code, byteCount, nil
                )
            }
        }
        if end == nil { OpenSSL.outOfMemory() }
        return code
    }
}
