import Cryptography
import Foundation

/// Challenges for passkeys: random, for a single browser, valid for five minutes, accepted once.
///
/// A challenge carries its expiry and a code that only this server can create, so pages that need no sign-in take no
/// memory. Only accepted challenges are remembered, until they expire: see ``SessionStore/useChallenge(_:at:_:)``.
package struct PasskeyChallenges: Sendable {
    package static let lifetime: Int64 = 300
    /// The clocks of the processes of a server may differ by this many seconds.
    private static let clockTolerance: Int64 = 30
    private static let nonceBytes = 16

    private let key: [UInt8]

    /// - Parameter key: The key of the server; all its processes have the same.
    package init(key: [UInt8]) { self.key = key }

    /// Creates a challenge.
    ///
    /// - Parameters:
    ///   - holder: A value known only to the browser for the challenge, such as its session.
    ///   - now: Seconds since 1970 UTC.
    package func make(for holder: String, now: Int64) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<Self.nonceBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        let end = withUnsafeBytes(of: (now + Self.lifetime).bigEndian) { Array($0) }
        return nonce + end + code(of: nonce + end, holder)
    }

    /// Whether this server created the challenge for that browser, and it has not expired.
    package func isValid(_ challenge: [UInt8], for holder: String, now: Int64) -> Bool {
        guard challenge.count == Self.nonceBytes + 8 + 32, let end = Self.end(of: challenge) else { return false }
        let content = Array(challenge[..<(Self.nonceBytes + 8)])
        return isEqualInConstantTime(Data(challenge[(Self.nonceBytes + 8)...]), Data(code(of: content, holder)))
            && (now...(now + Self.lifetime + Self.clockTolerance)).contains(end)
    }

    /// Returns when a challenge expires; nil for other bytes.
    static func end(of challenge: [UInt8]) -> Int64? {
        guard challenge.count >= nonceBytes + 8 else { return nil }
        let bits = challenge[nonceBytes..<nonceBytes + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(exactly: bits)
    }

    private func code(of content: [UInt8], _ holder: String) -> [UInt8] {
        HMAC.sha256(content + Array(holder.utf8), key: key)
    }
}
