import Cryptography
import TestSupport
import Testing

@Suite("Certificates in text")
struct CertificatesTests {
    /// A P-256 certificate, made by openssl-req(1) for this test; nothing uses its key.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBcjCCARmgAwIBAgIUXEIB60bIojK32mrA2GI/7jMOdbowCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEdGVzdDAeFw0yNjExMjcwMzQ2MzNaFw0zNjExMjQwMzQ2MzNa
        MA8xDTALBgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASbT217
        DFDcnDRhjlJg6pL/57Ueh+R3Bs8Ot7L1eZC2LFRsiX/iN8dPdplOV7oyAkDXT3Gh
        EuxC8bg32syCwHS5o1MwUTAdBgNVHQ4EFgQUxFnC/aB6f9crER2Nehclcy3Heqww
        HwYDVR0jBBgwFoAUxFnC/aB6f9crER2Nehclcy3HeqwwDwYDVR0TAQH/BAUwAwEB
        /zAKBggqhkjOPQQDAgNHADBEAiBX62uT+ZFxdi+CJ8C/C5rb5msd574QJFtPcFXV
        3XM5CgIgHYNfXMA3AekqgjpIn3hzTIGWFBE93NJ21PM9ITdudIw=
        -----END CERTIFICATE-----

        """

    @Test("all certificates of a text are counted, with what is around them")
    func count() {
        #expect(Certificates.count(inPEM: []) == 0)
        #expect(Certificates.count(inPEM: [UInt8]("no certificate\n".utf8)) == 0)
        let two = "A comment\n\(Self.certificate)Another one\n\(Self.certificate)"
        #expect(Certificates.count(inPEM: [UInt8](two.utf8)) == 2)
    }

    @Test("a text of any bytes is counted or refused", arguments: 0..<200 as Range<UInt64>)
    func anyBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = [UInt8]((Self.certificate + Self.certificate).utf8)
        for _ in 0..<random.number(1..<8) { bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256)) }
        bytes.removeLast(random.number(0..<bytes.count))
        if let count = Certificates.count(inPEM: bytes) { #expect((0...2).contains(count), "seed \(seed)") }
    }

    @Test("an encrypted text is refused, without a question on the terminal")
    func encrypted() {
        let lines = Self.certificate.split(separator: "\n")
        let head = [lines[0], "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF", ""]
        let text = (head + lines.dropFirst()).joined(separator: "\n") + "\n"
        #expect(Certificates.count(inPEM: [UInt8](text.utf8)) == nil)
    }
}
