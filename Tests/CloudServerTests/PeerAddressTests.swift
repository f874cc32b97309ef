import Testing

@testable import CloudServer

@Suite("Addresses of clients, and trusted proxies")
struct PeerAddressTests {
    @Test("an address is the same in all of its notations, and IPv6 addresses count by their /64")
    func groups() throws {
        #expect(PeerAddress("::ffff:10.1.2.3") == PeerAddress("10.1.2.3"))
        #expect(PeerAddress("[2001:DB8::1]")?.description == "2001:db8::1")
        #expect(PeerAddress("fe80::1%eth0") == PeerAddress("fe80::1"))
        #expect(PeerAddress("2001:db8:1:2:ffff::9")?.group == "2001:db8:1:2::/64")
        #expect(PeerAddress("10.1.2.3")?.group == "10.1.2.3")
        for text in ["", "unknown", "10.1.2", "1.2.3.4.5", "::1::", "a b"] {
            #expect(PeerAddress(text) == nil, "\(text)")
        }
        for text in ["127.0.0.1", "127.9.9.9", "::1"] { #expect(PeerAddress(text)?.isLoopback == true, "\(text)") }
    }

    @Test("a range holds the addresses that start with its bits")
    func ranges() throws {
        let range = try #require(AddressRange("10.1.16.0/20"))
        func contains(_ text: String) -> Bool { PeerAddress(text).map { range.contains($0) } ?? false }
        #expect(contains("10.1.16.0") && contains("10.1.31.255"))
        #expect(!contains("10.1.32.0") && !contains("10.1.15.255") && !contains("2001:db8::1"))
        for text in ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "x/8", "::/129"] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
    }

    @Test("X-Forwarded-For is used only from a trusted proxy, and is read from the right")
    func proxies() throws {
        let proxies = TrustedProxies(["10.0.0.0/8", "::1"].compactMap { AddressRange($0) })
        func client(_ peer: String, _ fields: [String]) -> String? {
            PeerAddress(peer).map { "\(proxies.client(of: $0, forwarded: fields))" }
        }
        #expect(client("203.0.113.5", ["198.51.100.1"]) == "203.0.113.5")
        #expect(client("10.0.0.1", ["198.51.100.1"]) == "198.51.100.1")
        // The addresses written by the client itself precede the proxy's.
        #expect(client("10.0.0.1", ["1.2.3.4, 198.51.100.1"]) == "198.51.100.1")
        #expect(client("10.0.0.1", ["1.2.3.4", "198.51.100.1, 10.0.0.7"]) == "198.51.100.1")
        #expect(client("10.0.0.1", ["198.51.100.1, nonsense"]) == "10.0.0.1")
        #expect(client("10.0.0.1", []) == "10.0.0.1")
        #expect(client("::1", ["2001:db8::7"]) == "2001:db8::7")
    }
}
