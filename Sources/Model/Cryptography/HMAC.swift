import CCrypto

package import protocol FoundationEssentials.ContiguousBytes

/// Codes that only holders of a key can make for a message (RFC 2104).
package enum HMAC {
    /// Returns 32 bytes.
    package static func sha256(_ message: some ContiguousBytes, key: some ContiguousBytes) -> [UInt8] {
        code(of: message, key: key, hash: "SHA2-256", byteCount: 32)
    }

    /// Returns 20 bytes. For protocols that require it; what is bad about SHA-1 does not concern its use here (RFC 6194).
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
