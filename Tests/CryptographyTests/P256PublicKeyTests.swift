import Basics
import Cryptography
import TestSupport
import Testing

@Suite("Public keys on P-256")
struct P256PublicKeyTests {
    /// RFC 6979, A.2.5: the key, and its signature of "sample" with SHA-256.
    private static let x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    private static let y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
    private static let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    private static let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"

    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

    @Test("the published signature is valid for its message only")
    func vector() throws {
        let key = try #require(P256PublicKey(try Self.bytes("04" + Self.x + Self.y)))
        let signature = try Self.bytes("3046022100" + Self.r + "022100" + Self.s)
        #expect(key.isValid(signature, for: Array("sample".utf8)))
        #expect(!key.isValid(signature, for: Array("simple".utf8)))
        #expect(!key.isValid(signature + [0], for: Array("sample".utf8)))
        #expect(!key.isValid([], for: Array("sample".utf8)))
        // Lengths in BER's long form, not allowed in DER.
        #expect(
            !key.isValid(
                try Self.bytes("308146022100" + Self.r + "022100" + Self.s), for: Array("sample".utf8)))
    }

    @Test("bytes that are not an uncompressed point of the curve are no key")
    func points() throws {
        let point = try Self.bytes("04" + Self.x + Self.y)
        var other = point
        other[64] ^= 1
        #expect(P256PublicKey(other) == nil)
        #expect(P256PublicKey([]) == nil)
        #expect(P256PublicKey([0]) == nil)
        #expect(P256PublicKey([UInt8](repeating: 0, count: 65)) == nil)
        #expect(P256PublicKey([4] + [UInt8](repeating: 0, count: 64)) == nil)
        #expect(P256PublicKey([4] + [UInt8](repeating: 255, count: 64)) == nil)
        #expect(P256PublicKey(point + [0]) == nil)
        #expect(P256PublicKey([3] + point[1..<33]) == nil)
    }

    @Test("random keys and signatures are refused")
    func random() throws {
        let key = try #require(P256PublicKey(try Self.bytes("04" + Self.x + Self.y)))
        let signature = try Self.bytes("3046022100" + Self.r + "022100" + Self.s)
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(P256PublicKey([4] + bytes) == nil, "seed \(seed)")
            var damaged = signature
            damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            #expect(!key.isValid(damaged, for: Array("sample".utf8)), "seed \(seed)")
            #expect(!key.isValid(Array(bytes.prefix(Int(bytes[0]) % 64)), for: bytes), "seed \(seed)")
        }
    }

    @Test("what the private key signs is valid for that message only")
    func signed() throws {
        let own = SigningKey()
        let key = try #require(P256PublicKey(own.publicKey))
        let signature = own.sign([1, 2, 3])
        #expect(key.isValid(signature, for: [1, 2, 3] as [UInt8]))
        #expect(!key.isValid(signature, for: [1, 2, 4] as [UInt8]))
    }
}
