import Glibc

/// An IP address in the form used by bounds.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes for IPv4, including addresses mapped into IPv6; sixteen for IPv6.
    let bytes: [UInt8]

    /// Parses an address, possibly with brackets and a zone (`fe80::1%eth0`). Nil if the text is not an address.
    package init?(_ text: some StringProtocol) {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        let plain = String(text.prefix { $0 != "%" })
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, plain, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, plain, &six) == 1 {
            let all = withUnsafeBytes(of: six) { Array($0) }
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    /// The unit of bounds: the address, or for IPv6 its /64, the allocation of a single customer (RFC 6177).
    var group: String {
        bytes.count == 4 ? description : Self.text(bytes.prefix(8) + [UInt8](repeating: 0, count: 8)) + "/64"
    }

    var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

    package var description: String { Self.text(bytes) }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let bytes = Array(bytes)
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return "unknown"
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the group of an address given as text, or the text itself if it is not an address.
    static func group(of text: String) -> String { PeerAddress(text)?.group ?? text }
}

/// A range of addresses: `ADDRESS` or `ADDRESS/BITS`.
package struct AddressRange: Hashable, Sendable {
    private let start: PeerAddress
    private let bits: Int

    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = parts.first.flatMap({ PeerAddress($0) }) else { return nil }
        let longest = start.bytes.count * 8
        guard let bits = parts.count == 1 ? longest : Int(parts[1]), (0...longest).contains(bits) else { return nil }
        self.start = start
        self.bits = bits
    }

    func contains(_ address: PeerAddress) -> Bool {
        guard address.bytes.count == start.bytes.count else { return false }
        return zip(address.bytes, start.bytes).enumerated().allSatisfy { index, pair in
            let wanted = min(8, max(0, bits - index * 8))
            return wanted == 0 || (pair.0 ^ pair.1) >> (8 - UInt8(wanted)) == 0
        }
    }
}

/// A server's trusted proxies.
struct TrustedProxies: Sendable {
    private let ranges: [AddressRange]

    init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

    func contains(_ address: PeerAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Returns a request's client: the connection's peer, or if that is a trusted proxy, the last untrusted address in
    /// `X-Forwarded-For`. Anything put there by the client precedes that address.
    func client(of peer: PeerAddress, forwarded: [String]) -> PeerAddress {
        guard contains(peer) else { return peer }
        var client = peer
        for field in forwarded.joined(separator: ",").split(separator: ",").reversed() {
            let text = field.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            guard let next = PeerAddress(text) else { break }
            client = next
            guard contains(next) else { break }
        }
        return client
    }
}
