import Testing

@testable import S3Client

@Suite("Addresses of buckets")
struct LocationTests {
    @Test(
        "an address is parsed and written back unchanged",
        arguments: [
            "s3://bucket", "s3://my.bucket-1/a/b%20c/%C3%A9", "s3://bucket?region=eu-central-1",
            "s3://bucket/x?endpoint=https://s3.example.com:9000&region=auto&addressing=virtual",
            "s3://bucket?endpoint=http://127.0.0.1:9000", "s3://bucket?endpoint=http://[::1]:80",
            "s3://bucket?endpoint=http://store.lan&insecure=true",
        ])
    func roundTrip(text: String) throws {
        #expect(try S3Location(parsing: text).description == text)
    }

    @Test("a trailing slash and an encoded endpoint are accepted")
    func forms() throws {
        #expect(try S3Location(parsing: "s3://bucket/a/") == S3Location(bucket: "bucket", prefix: "a"))
        let encoded = try S3Location(parsing: "s3://bucket?endpoint=https%3A%2F%2Fs3.example.com%2F")
        #expect(encoded.endpoint == "https://s3.example.com")
    }

    @Test(
        "errors name what is wrong",
        arguments: [
            ("https://bucket", "s3://"), ("s3://", "3 to 63"), ("s3://ab", "3 to 63"), ("s3://Bucket", "lower-case"),
            ("s3://a_b_c", "lower-case"), ("s3://-abc", "begins and ends"), ("s3://abc.", "begins and ends"),
            ("s3://a..b", "two dots"), ("s3://192.168.0.1", "IP address"), ("s3://xn--abc", "reserved"),
            ("s3://abc--x-s3", "reserved"), ("s3://bucket//a", "prefix"), ("s3://bucket/a/../b", "prefix"),
            ("s3://bucket/%", "%25"), ("s3://bucket/a%00b", "prefix"), ("s3://bucket/%FF", "UTF-8"),
            ("s3://bucket/a#b", "%23"), ("s3://key:HIDDEN@bucket", "credentials"),
            ("s3://bucket?endpoint=http://s3.example.com", "not encrypted"),
            ("s3://bucket?endpoint=http://127.0.0.1.example.com", "not encrypted"),
            ("s3://bucket?endpoint=s3.example.com", "not an endpoint"),
            ("s3://bucket?endpoint=https://a/b", "not an endpoint"),
            ("s3://bucket?endpoint=https://u:HIDDEN@host", "credentials"),
            ("s3://bucket?endpoint=https://host:99999", "not an endpoint"), ("s3://bucket?region=EU", "region"),
            ("s3://bucket?region=a.evil.example/", "region"), ("s3://bucket?addressing=none", "path or virtual"),
            ("s3://bucket?insecure=yes", "true or false"), ("s3://bucket?secret=HIDDEN", "not a setting"),
            ("s3://bucket?region=a&region=b", "twice"), ("s3://bucket?region", "no value"),
        ])
    func wrong(text: String, part: String) {
        let error = #expect(throws: S3ConfigurationError.self) { try S3Location(parsing: text) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("HIDDEN") == false)
    }

    @Test("Amazon's buckets are addressed by host, all others by path, unless the address says otherwise")
    func addressing() throws {
        func target(_ text: String) throws -> S3Target { try S3Location(parsing: text).target(in: "eu-west-1") }
        #expect(try target("s3://abc") == S3Target(scheme: "https", host: "abc.s3.eu-west-1.amazonaws.com", path: ""))
        #expect(try target("s3://a.bc") == S3Target(scheme: "https", host: "s3.eu-west-1.amazonaws.com", path: "/a.bc"))
        #expect(
            try target("s3://abc?endpoint=http://127.0.0.1:80")
                == S3Target(scheme: "http", host: "127.0.0.1", path: "/abc"))
        #expect(
            try target("s3://abc?endpoint=https://x.org:8443&addressing=virtual")
                == S3Target(scheme: "https", host: "abc.x.org:8443", path: ""))
        #expect(try S3Location(parsing: "s3://abc").target(in: "cn-north-1").host.hasSuffix(".amazonaws.com.cn"))
    }
}
