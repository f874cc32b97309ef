import CloudProtocol

/// Where a browser reaches the console: the origin that it signs for, and the domain that passkeys belong to (WebAuthn Level 2, 13.4.9).
package struct WebOrigin: Hashable, Sendable {
    /// `https://cloud.example.org:8443`, without the scheme's own port.
    package let text: String
    /// The domain, `rpId` in WebAuthn.
    package let domain: String

    /// - Returns: Nil where browsers offer no passkeys: for addresses of IP, and without TLS except on `localhost`.
    package init?(_ url: String) {
        // The error says which part is wrong; here only whether one is counts.
        guard let address = try? ServerAddress(url) else { return nil }
        let scheme = address.isEncrypted ? "https" : "http"
        let place = address.description.dropFirst(scheme.utf8.count + 3).prefix { $0 != "/" }
        let host = place.prefix { $0 != ":" }
        guard address.isEncrypted || host == "localhost", !place.hasPrefix("["),
            host.utf8.contains(where: Self.isLetter)
        else { return nil }
        let port = place.dropFirst(host.count)
        let isDefault = port == (address.isEncrypted ? ":443" : ":80")
        text = "\(scheme)://\(host)\(isDefault ? "" : port)"
        domain = String(host)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
