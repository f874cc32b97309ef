import Basics
import Cryptography
import TestSupport
import Testing

@Suite("Hashes")
struct HashTests {
    /// FIPS 180-2, appendix B, and the hash of nothing.
    @Test(
        "SHA-256 gives the published hashes",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, hash: String) {
        #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == hash)
    }

    @Test("SHA-256 of a million letters gives the published hash")
    func long() {
        let hash = SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(Hex.encode(hash) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("bytes that come in parts have the hash that they have together")
    func parts() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bytes = (0..<Int.random(in: 0...1000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var hash = SHA256()
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 0...200, using: &random))
                hash.update(Array(part))
                rest = rest.dropFirst(part.count)
            }
            let result = hash.finish()
            #expect(result == SHA256.hash(bytes), "seed \(seed)")
        }
    }

    @Test("threads hash at the same time")
    func concurrent() async {
        let hashes = await withTaskGroup(of: [UInt8].self) { group in
            for index in 0..<64 { group.addTask { SHA256.hash([UInt8](repeating: UInt8(index % 2), count: 100_000)) } }
            return await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(hashes.count == 2)
    }

    /// RFC 1321, A.5.
    @Test(
        "MD5 gives the published hashes",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ])
    func md5(text: String, hash: String) {
        #expect(Hex.encode(MD5.hash(Array(text.utf8))) == hash)
    }

    /// RFC 4231, 4.2, 4.3 and 4.7; the last key is longer than a block.
    @Test(
        "HMAC with SHA-256 gives the published codes",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ] as [([UInt8], String, String)])
    func hmac(key: [UInt8], text: String, code: String) {
        #expect(Hex.encode(HMAC.sha256(Array(text.utf8), key: key)) == code)
    }

    /// RFC 2202, 3.
    @Test("HMAC with SHA-1 gives the published codes")
    func sha1() {
        #expect(
            Hex.encode(HMAC.sha1(Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20)))
                == "b617318655057264e28bc0b6fb378c8ef146be00")
        #expect(
            Hex.encode(HMAC.sha1(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    }
}
