import CCrypto

/// TLS certificates in PEM form (RFC 7468).
package enum Certificates {
    /// Returns the number of certificates in a text; nil if any is unreadable.
    package static func count(inPEM text: [UInt8]) -> Int? {
        OpenSSL.prepare()
        defer { ERR_clear_error() }
        return text.withUnsafeBytes { text -> Int? in
            guard let size = Int32(exactly: text.count), let source = BIO_new_mem_buf(text.baseAddress, size) else {
                return text.isEmpty ? 0 : nil
            }
            defer { BIO_free(source) }
            var count = 0
            // Without a callback that refuses, OpenSSL asks for a password on the terminal.
            while let certificate = PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) {
                X509_free(certificate)
                count += 1
            }
            return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? count : nil
        }
    }
}
