import DaemonProtocol
import Testing

@Suite("Kinds of clouds")
struct CloudKindTests {
    @Test(
        "the scheme of an address is its kind, in capitals too",
        arguments: [
            ("file:///a", CloudKind.directory), ("http://a", .server), ("HTTPS://a", .server), ("s3://b/p", .bucket),
            ("S3://b", .bucket), ("s3://", .bucket), ("/a", nil), ("a", nil), ("httpd://a", nil), ("://a", nil),
        ] as [(String, CloudKind?)])
    func schemes(text: String, kind: CloudKind?) {
        #expect(CloudKind(of: text) == kind)
    }

    @Test("an address has the kind of its text")
    func addresses() throws {
        for text in ["file:///a", "https://a", "s3://b/p"] {
            #expect(try CloudAddress(text, currentDirectory: "/").kind == CloudKind(of: text))
        }
    }

    @Test("only a server has accounts, and an account stands in an address once")
    func accounts() {
        #expect(CloudAddress.server("https://a/b", account: "Ben B") == "https://Ben%20B@a/b")
        for text in ["https://ben@a", "s3://b/p", "file:///a", "httpd://a", "/a"] {
            #expect(CloudAddress.server(text, account: "ben") == nil)
        }
    }
}
