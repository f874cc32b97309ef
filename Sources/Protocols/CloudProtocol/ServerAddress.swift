/// The address of a server: `http(s)://HOST[:PORT][/PREFIX]`, without a trailing slash.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Error, Hashable, CustomStringConvertible {
        case scheme
        case host
        case port
        case parts

        package var description: String {
            switch self {
            case .scheme: "it does not begin with http:// or https://"
            case .host: "it names no host"
            case .port: "its port is not a number from 1 to 65535"
            case .parts: "it has a user, a query, a fragment or invalid characters"
            }
        }
    }

    /// The address with scheme and host in lowercase.
    package let description: String
    package let isEncrypted: Bool
    /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
    package let isLoopback: Bool

    package init(_ text: String) throws(Problem) {
        guard let colon = text.firstRange(of: "://") else { throw .scheme }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .scheme }
        let rest = text[colon.upperBound...]
        let visible = rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"@?#\\\"<>^`{|}".utf8.contains($0) }
        guard visible else { throw .parts }
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let place = try Self.place(rest[..<slash])
        var prefix = rest[slash...]
        while prefix.utf8.last == UInt8(ascii: "/") { prefix = prefix.dropLast() }
        isEncrypted = scheme == "https"
        isLoopback = Self.isLoopback(place)
        description = "\(scheme)://\(place)\(prefix)"
    }

    private static func isLoopback(_ place: String) -> Bool {
        if place == "[::1]" || place.hasPrefix("[::1]:") { return true }
        let host = place.prefix { $0 != ":" }
        if host == "localhost" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Parses the host, possibly with colons in brackets (RFC 3986, 3.2.2), and the port.
    private static func place(_ text: Substring) throws(Problem) -> String {
        var host = text
        var port: Substring?
        let bracket = text.utf8.lastIndex(of: UInt8(ascii: "]")) ?? text.startIndex
        if let colon = text[bracket...].utf8.lastIndex(of: UInt8(ascii: ":")) {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        let inner = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host
        let isPlain = !host.utf8.contains(UInt8(ascii: ":")) && !host.utf8.contains(UInt8(ascii: "["))
        guard !inner.isEmpty, inner.startIndex != host.startIndex || isPlain else { throw .host }
        guard let port else { return host.lowercased() }
        guard port.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(port), (1...65_535).contains(number)
        else { throw .port }
        return "\(host.lowercased()):\(number)"
    }
}
