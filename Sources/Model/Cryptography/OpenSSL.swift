import CCrypto

import protocol FoundationEssentials.ContiguousBytes

/// The parts of OpenSSL 3 needed by every algorithm in this module.
package enum OpenSSL {
    /// Prepares OpenSSL with the settings of this module, before another library does with its own.
    package static func prepare() { _ = context }

    /// Our own context: it has the algorithms built into OpenSSL, regardless of the machine's `openssl.cnf` for other
    /// programs.
    nonisolated(unsafe) static let context: OpaquePointer = {
        // By default OpenSSL frees its tables in exit(3), while threads of the process may still be hashing.
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        guard let context = OSSL_LIB_CTX_new() else { outOfMemory() }
        return context
    }()

    /// Returns a built-in hash function.
    static func hashFunction(_ name: String) -> OpaquePointer {
        guard let function = EVP_MD_fetch(context, name, nil) else { outOfMemory() }
        return function
    }

    /// Returns the hash of bytes.
    static func hash(_ bytes: some ContiguousBytes, with function: OpaquePointer, byteCount: Int) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: byteCount)
        let isDone = withBytes(of: bytes) { start, count in EVP_Digest(start, count, &hash, nil, function, nil) }
        if isDone != 1 { outOfMemory() }
        return hash
    }

    /// Passes bytes with a pointer even if there are none, because OpenSSL takes a null pointer for an unset argument.
    static func withBytes<T>(of bytes: some ContiguousBytes, _ body: (UnsafePointer<UInt8>, Int) -> T) -> T {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return withUnsafePointer(to: 0) { body($0, 0) } }
            return body(start.assumingMemoryBound(to: UInt8.self), buffer.count)
        }
    }

    /// Ends the process, as Swift does: nothing else can cause a built-in algorithm to fail on valid arguments.
    static func outOfMemory() -> Never { preconditionFailure("OpenSSL is out of memory") }
}
