import Basics
import Cryptography
import Testing

@Suite("scrypt")
struct ScryptTests {
    private static func key(
        _ password: String, _ salt: String, rounds: UInt32, blockSize: UInt16, passes: UInt16
    ) -> String? {
        Scrypt.key(
            from: Array(password.utf8), salt: Array(salt.utf8), rounds: rounds, blockSize: blockSize, passes: passes,
            byteCount: 64
        ).map { Hex.encode($0) }
    }

    /// RFC 7914, 12.
    @Test("the published passwords give the published keys")
    func vectors() {
        #expect(
            Self.key("", "", rounds: 16, blockSize: 1, passes: 1)
                == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")
        #expect(
            Self.key("password", "NaCl", rounds: 1024, blockSize: 8, passes: 16)
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
        #expect(
            Self.key("pleaseletmein", "SodiumChloride", rounds: 16384, blockSize: 8, passes: 1)
                == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887")
    }

    @Test("a cost that RFC 7914 does not allow gives no key", arguments: [0, 1, 3, 1000] as [UInt32])
    func refused(rounds: UInt32) {
        #expect(Self.key("password", "NaCl", rounds: rounds, blockSize: 8, passes: 1) == nil)
        #expect(Self.key("password", "NaCl", rounds: 16, blockSize: 0, passes: 1) == nil)
        #expect(Self.key("password", "NaCl", rounds: 16, blockSize: 8, passes: 0) == nil)
    }
}
