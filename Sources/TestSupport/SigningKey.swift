import CCrypto

/// A random private key on the curve P-256, as authenticators have. Programs of this project only check signatures.
package final class SigningKey: @unchecked Sendable {
    // OpenSSL counts references to it with atomic numbers, and no function here changes it.
    private let key: OpaquePointer

    package init() {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { Self.outOfMemory() }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { Self.outOfMemory() }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// The public key, uncompressed (X9.63), 65 bytes.
    package var publicKey: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65)
        var count = 0
        guard EVP_PKEY_get_octet_string_param(key, "pub", &bytes, bytes.count, &count) == 1, count == bytes.count
        else { Self.outOfMemory() }
        return bytes
    }

    /// Returns the signature of a message (ECDSA with SHA-256) as ASN.1 in DER.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        // The longest has two numbers of 33 bytes and three heads of 2.
        var signature = [UInt8](repeating: 0, count: 72)
        var count = signature.count
        guard let state = EVP_MD_CTX_new() else { Self.outOfMemory() }
        defer { EVP_MD_CTX_free(state) }
        guard EVP_DigestSignInit_ex(state, nil, "SHA2-256", nil, nil, key, nil) == 1,
            EVP_DigestSign(state, &signature, &count, message, message.count) == 1
        else { Self.outOfMemory() }
        return Array(signature.prefix(count))
    }

    private static func outOfMemory() -> Never { preconditionFailure("OpenSSL is out of memory") }
}
