import Crypto
import CryptoExtras
import Foundation

/// The password of a published link as it is kept: salted, and slow to try (scrypt, RFC 7914; 2^14, 8, 5 takes 16 MiB and some
/// tenths of a second).
struct LinkPassword: Hashable, Sendable {
    let salt: Data
    let hash: Data

    private static let length = 32

    init(salt: Data, hash: Data) {
        self.salt = salt
        self.hash = hash
    }

    /// Takes as long as a try.
    static func of(_ password: String) throws -> LinkPassword {
        var random = SystemRandomNumberGenerator()
        let salt = Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
        return LinkPassword(salt: salt, hash: try derive(password, salt))
    }

    func matches(_ password: String) throws -> Bool {
        isEqualInConstantTime(hash, try Self.derive(password, salt))
    }

    private static func derive(_ password: String, _ salt: Data) throws -> Data {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: length, rounds: 1 << 14, blockSize: 8,
            parallelism: 5)
        return key.withUnsafeBytes { Data($0) }
    }
}
