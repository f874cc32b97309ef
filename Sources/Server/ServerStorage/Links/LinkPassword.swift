import Cryptography
import Foundation
import NIOPosix

/// The cost of an attempt at a link's password (scrypt, RFC 7914, with blocks of 8): `rounds` times 1 KiB of memory,
/// `passes` times over. It is stored with each password, so that it can be raised later.
package struct PasswordCost: Hashable, Sendable {
    /// The logarithm of the rounds, to the base of 2.
    let rounds: UInt8
    let passes: UInt8

    /// 16 MiB and some tenths of a second.
    package static let standard = PasswordCost(rounds: 14, passes: 5)
    /// For tests of the code around it.
    package static let light = PasswordCost(rounds: 4, passes: 1)
}

/// The stored form of a published link's password: salted, and slow to try.
struct LinkPassword: Hashable, Sendable {
    /// The cost in two bytes, then 16 random bytes.
    let salt: Data
    let hash: Data

    init(salt: Data, hash: Data) {
        self.salt = salt
        self.hash = hash
    }

    /// Hashes a password. Takes as long as checking one.
    static func of(_ password: String, cost: PasswordCost) throws -> LinkPassword {
        var random = SystemRandomNumberGenerator()
        let salt = Data([cost.rounds, cost.passes] + (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
        return LinkPassword(salt: salt, hash: try derive(password, salt))
    }

    func matches(_ password: String) throws -> Bool {
        isEqualInConstantTime(hash, try Self.derive(password, salt))
    }

    private static func derive(_ password: String, _ salt: Data) throws -> Data {
        guard let rounds = salt.first, let passes = salt.dropFirst().first, (1...24).contains(rounds) else {
            throw StorageError(.damaged, "The server's database has a corrupt password row.")
        }
        let key = Scrypt.key(
            from: Data(password.utf8), salt: salt, rounds: 1 << UInt32(rounds), blockSize: 8, passes: UInt16(passes),
            byteCount: 32)
        guard let key else {
            throw StorageError(.busy, "The server has too little memory to check the password.")
        }
        return Data(key)
    }
}

/// Hashes passwords on a dedicated thread, one at a time and accounts by turns, because each takes memory and some
/// tenths of a second.
final class PasswordHasher: Sendable {
    private let cost: PasswordCost
    private let mutex = FairAsyncMutex(maximumWaiting: 256, maximumPerAccount: 8)
    private let thread = NIOThreadPool(numberOfThreads: 1)

    init(cost: PasswordCost) {
        self.cost = cost
        thread.start()
    }

    /// - Parameter account: The current or future account of the link.
    /// - Throws: `busy` if too many requests wait already.
    func seal(_ text: String, for account: AccountID) async throws -> LinkPassword {
        try await run(for: account) { [cost] in try LinkPassword.of(text, cost: cost) }
    }

    func matches(_ text: String, _ password: LinkPassword, of account: AccountID) async throws -> Bool {
        try await run(for: account) { try password.matches(text) }
    }

    private func run<T: Sendable>(
        for account: AccountID, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await mutex.run(for: account) {
            do { return try await thread.runIfActive { try withLowPriority(body) } } catch {
                throw StorageError.of(error)
            }
        }
    }

    func close() async throws { try await thread.shutdownGracefully() }
}
