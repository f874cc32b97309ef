/// Base32 as in RFC 4648, 6, without padding: the form of secrets for authenticator apps.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                result.append(alphabet[Int(bits >> count & 31)])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { result.append(alphabet[Int(bits << (5 - count) & 31)]) }
        return String(decoding: result, as: UTF8.self)
    }
}
