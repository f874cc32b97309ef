import Basics
import Testing

@testable import S3Client

/// The published vectors: aws-sig-v4-test-suite, and the examples in "Signature calculations for the Authorization header" (Amazon S3 API
/// Reference).
@Suite("Signatures, version 4")
struct SigV4Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        var method = "GET"
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        let signature: String

        var testDescription: String { name }
    }

    private static let alphabet = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let form = "application/x-www-form-urlencoded"

    static let suite = [
        Vector(name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-vanilla-empty-query-key", query: [("Param1", "value1")],
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Vector(
            name: "get-vanilla-query-unreserved", query: [(alphabet, alphabet)],
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Vector(
            name: "get-vanilla-utf8-query", query: [("ሴ", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            name: "get-unreserved", path: "/\(alphabet)",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-utf8", path: "/ሴ",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            name: "get-header-key-duplicate",
            headers: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Vector(
            name: "get-header-value-order",
            headers: [
                ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"), ("My-Header1", "value2"),
            ], signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Vector(
            name: "get-header-value-trim", headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "post-header-key-sort", method: "POST", headers: [("My-Header1", "value1")],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Vector(
            name: "post-header-value-case", method: "POST", headers: [("My-Header1", "VALUE1")],
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        Vector(
            name: "post-vanilla-query", method: "POST", query: [("Param1", "value1")],
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Vector(
            name: "post-x-www-form-urlencoded", method: "POST", headers: [("Content-Type", form)],
            body: "Param1=value1", signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            name: "post-x-www-form-urlencoded-parameters", method: "POST",
            headers: [("Content-Type", "\(form); charset=utf8")], body: "Param1=value1",
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ]

    @Test("the signatures of the test suite", arguments: suite)
    func vectors(vector: Vector) throws {
        let credentials = try #require(
            S3Credentials(accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"))
        let input = SigV4.Input(
            vector.method, vector.path, query: vector.query,
            headers: [("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")] + vector.headers,
            bodyDigest: SigV4.digest(of: vector.body.utf8))
        let signer = SigV4(region: "us-east-1", service: "service")
        let value = signer.authorization(of: input, with: credentials, at: Timestamp(seconds: 1_440_938_160))
        #expect(value.hasSuffix(", Signature=\(vector.signature)"))
        #expect(
            value.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "))
    }

    static let examples = [
        Vector(
            name: "GET object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            name: "PUT object", method: "PUT", path: "/test$file.text",
            headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            name: "GET bucket lifecycle", query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            name: "GET bucket (list objects)", query: [("prefix", "J"), ("max-keys", "2")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("the signatures in S3's documentation", arguments: examples)
    func documented(vector: Vector) throws {
        let credentials = try #require(
            S3Credentials(
                accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
        let input = SigV4.Input(
            vector.method, vector.path, query: vector.query,
            headers: [("Host", "examplebucket.s3.amazonaws.com")] + vector.headers,
            bodyDigest: SigV4.digest(of: vector.body.utf8))
        let headers = SigV4(region: "us-east-1").sign(input, with: credentials, at: Timestamp(seconds: 1_369_353_600))
        let value = try #require(headers.last { $0.name == "Authorization" }?.value)
        #expect(value.hasSuffix("Signature=\(vector.signature)"))
        #expect(headers.contains { $0.name == "x-amz-date" && $0.value == "20130524T000000Z" })
        #expect(!headers.contains { $0.name == "x-amz-security-token" })
    }

    // "Authenticating Requests: Using Query Parameters", Amazon S3 API Reference.
    @Test("the link in S3's documentation")
    func documentedLink() throws {
        let credentials = try #require(
            S3Credentials(
                accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
        let query = SigV4(region: "us-east-1").linkQuery(
            host: "examplebucket.s3.amazonaws.com", path: "/test.txt", with: credentials,
            at: Timestamp(seconds: 1_369_353_600), seconds: 86_400)
        #expect(query.last?.name == "X-Amz-Signature")
        #expect(query.last?.value == "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test("a session token is sent and signed")
    func sessionToken() throws {
        let credentials = try #require(S3Credentials(accessKey: "A", secretKey: "B", sessionToken: "TOKEN"))
        let input = SigV4.Input("GET", "/", headers: [("Host", "h")], bodyDigest: SigV4.digest(of: []))
        let headers = SigV4(region: "r").sign(input, with: credentials, at: .zero)
        #expect(headers.contains { $0.name == "x-amz-security-token" && $0.value == "TOKEN" })
        #expect(
            headers.last?.value.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,")
                == true)
    }

    @Test(
        "dates have sixteen characters for any clock",
        arguments: [(0, "19700101T000000Z"), (-1, "19691231T235959Z"), (951_827_696, "20000229T123456Z")])
    func dates(seconds: Int64, text: String) {
        #expect(SigV4.date(Timestamp(seconds: seconds)) == text)
        for extreme in [Int64.min, .max] { #expect(SigV4.date(Timestamp(nanoseconds: extreme)).count == 16) }
    }
}
