import CCrypto

package import protocol FoundationEssentials.ContiguousBytes

/// A public key on the curve P-256 for ECDSA with SHA-256 (FIPS 186-4).
package struct P256PublicKey: Hashable, Sendable {
    /// The point, uncompressed (X9.63): a 4, then two numbers of 32 bytes.
    package let bytes: [UInt8]

    /// - Returns: nil for bytes that are not a point of the curve in that form.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 65, bytes.first == 4, let key = Self.key(bytes) else { return nil }
        EVP_PKEY_free(key)
        self.bytes = bytes
    }

    /// Whether `signature`, as ASN.1 in DER, was created for the message with the private key.
    package func isValid(_ signature: [UInt8], for message: some ContiguousBytes) -> Bool {
        guard let key = Self.key(bytes), let state = EVP_MD_CTX_new() else { OpenSSL.outOfMemory() }
        defer {
            EVP_MD_CTX_free(state)
            EVP_PKEY_free(key)
            // An invalid signature leaves an error, which the thread's next caller would take for its own.
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit_ex(state, nil, "SHA2-256", OpenSSL.context, nil, key, nil) == 1 else { return false }
        return OpenSSL.withBytes(of: message) { message, count in
            EVP_DigestVerify(state, signature, signature.count, message, count) == 1
        }
    }

    /// The bytes before the point in a SubjectPublicKeyInfo (RFC 5480, 2): the algorithm, the curve, and the length of
    /// the rest.
    private static let head: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// Returns the key in OpenSSL's form, to be freed by the caller; nil if the bytes are not a point of the curve.
    private static func key(_ bytes: [UInt8]) -> OpaquePointer? {
        let key = (head + bytes).withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PUBKEY_ex(nil, &position, buffer.count, OpenSSL.context, nil)
        }
        if key == nil { ERR_clear_error() }
        return key
    }
}
