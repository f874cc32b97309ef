import Glibc

/// Recognises addresses only reachable within a network: loopback, link-local and private addresses (RFC 6890, RFC
/// 4193).
enum PrivateHost {
    /// Returns the host in the address of a server or a link, without brackets and port, in lower case.
    static func host(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return "" }
        let place = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        if place.hasPrefix("[") { return place.dropFirst().prefix { $0 != "]" }.lowercased() }
        return place.prefix { $0 != ":" }.lowercased()
    }

    /// Whether a host is such an address, or a name of this machine. False for all remaining names, without resolving
    /// them.
    static func isPrivate(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        var four = in_addr()
        // inet_aton(3) accepts all forms accepted by resolvers, such as 127.1 and 2130706433.
        if inet_aton(name, &four) != 0 { return isPrivate(withUnsafeBytes(of: four) { Array($0) }) }
        var six = in6_addr()
        guard inet_pton(AF_INET6, String(name.prefix { $0 != "%" }), &six) == 1 else { return false }
        return isPrivate(withUnsafeBytes(of: six) { Array($0) })
    }

    private static func isPrivate(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else {
            return switch (bytes[0], bytes[1]) {
            case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): true
            default: false
            }
        }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        if isMapped { return isPrivate(Array(bytes.suffix(4))) }
        // ::, ::1 and IPv4-compatible addresses; unique local and link-local ones.
        return bytes.prefix(12).allSatisfy { $0 == 0 } || bytes[0] & 0xFE == 0xFC
            || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
}
