import Cryptography
import Foundation

/// Generates the codes of an authenticator app: RFC 4226 (HOTP) over the time (RFC 6238, TOTP), with SHA-1 and steps of
/// 30 seconds, supported by every app.
package struct OneTimePassword: Hashable, Sendable {
    package static let period: Int64 = 30
    package static let digits = 6
    /// Steps before and after the current step whose codes are accepted, for differing clocks and people who type
    /// slowly.
    package static let window: Int64 = 1

    /// 20 bytes if created by the server (RFC 4226, 4, R6).
    package let secret: [UInt8]

    package init(secret: [UInt8]) { self.secret = secret }

    package static func random(using generator: inout some RandomNumberGenerator) -> OneTimePassword {
        OneTimePassword(secret: (0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// - Parameter seconds: Since 1970 UTC.
    package static func step(at seconds: Int64) -> Int64 { max(0, seconds) / period }

    /// Returns the code of a counter (RFC 4226, 5.3).
    ///
    /// - Parameter digits: From 1 to 9.
    package func code(counter: UInt64, digits: Int = OneTimePassword.digits) -> String {
        let message = withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        let code = HMAC.sha1(message, key: secret)
        let offset = Int(code[code.count - 1] & 0x0F)
        let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// Returns the step of a code, if it is in the window and no code of that step or of a later step was accepted
    /// before.
    ///
    /// - Parameters:
    ///   - last: The last accepted step.
    ///   - seconds: Since 1970 UTC.
    package func step(of code: String, at seconds: Int64, after last: Int64?) -> Int64? {
        let current = Self.step(at: seconds)
        var found: Int64?
        // All codes are compared, each in constant time.
        for step in max(0, current - Self.window)...(current + Self.window) {
            let expected = self.code(counter: UInt64(step))
            let isEqual = isEqualInConstantTime(Data(expected.utf8), Data(code.utf8))
            if isEqual, step > last ?? -1, found == nil { found = step }
        }
        return found
    }

    /// The secret for typing into an app that cannot read the address: base32 in groups of four (RFC 4648, 6).
    package var text: String {
        let text = Array(Base32.encode(secret).utf8)
        return stride(from: 0, to: text.count, by: 4)
            .map { String(decoding: text[$0..<min($0 + 4, text.count)], as: UTF8.self) }.joined(separator: " ")
    }

    /// Returns the address read by apps (github.com/google/google-authenticator/wiki/Key-Uri-Format).
    package func address(account: String, issuer: String) -> String {
        let label = "\(Self.escaped(issuer)):\(Self.escaped(account))"
        return
            "otpauth://totp/\(label)?secret=\(Base32.encode(secret))&issuer=\(Self.escaped(issuer))&algorithm=SHA1&digits=\(Self.digits)&period=\(Self.period)"
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986, 2.3.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)
            let digits = hexadecimalDigits(byte)
            return isPlain ? String(decoding: [byte], as: UTF8.self) : "%\(digits)"
        }.joined()
    }

    private static func hexadecimalDigits(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.utf8.count == 1 ? "0\(text)" : text
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
