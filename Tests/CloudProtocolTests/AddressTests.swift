import CloudProtocol
import Testing

@Suite("Addresses of servers")
struct AddressTests {
    @Test(
        "addresses are normalized",
        arguments: [
            ("http://localhost", "http://localhost"), ("HTTPS://Cloud.Example.ORG/", "https://cloud.example.org"),
            ("http://127.0.0.1:8080/a/b//", "http://127.0.0.1:8080/a/b"), ("http://[::1]:80", "http://[::1]:80"),
            ("http://[fe80::1]", "http://[fe80::1]"), ("http://h:0080", "http://h:80"),
        ])
    func good(_ text: String, _ form: String) throws {
        let address = try ServerAddress(text)
        #expect(address.description == form)
        #expect(address.isEncrypted == form.hasPrefix("https"))
        #expect(try ServerAddress(form) == address)
    }

    @Test(
        "text that is not an address is rejected with the reason",
        arguments: [
            ("", ServerAddress.Problem.scheme), ("cloud.example.org", .scheme), ("ftp://h", .scheme),
            ("http://", .host),
            ("http://:80", .host), ("http:///path", .host), ("http://::1", .host), ("http://h:", .port),
            ("http://h:0", .port), ("http://h:65536", .port), ("http://h:+1", .port), ("http://user@h", .parts),
            ("http://h/?q", .parts), ("http://h/#f", .parts), ("http://h\n", .parts), ("http://hé", .parts),
        ])
    func bad(_ text: String, _ problem: ServerAddress.Problem) {
        #expect(throws: problem) { try ServerAddress(text) }
    }
}
