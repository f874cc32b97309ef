import CloudProtocol

/// The origin of the console in a browser: it signs for this origin, and passkeys belong to its domain (WebAuthn Level
/// 2, 13.4.9).
package struct WebOrigin: Hashable, Sendable {
    /// The origin, such as `https://cloud.example.org:8443`, without the scheme's default port.
    package let text: String
    /// The domain, `rpId` in WebAuthn.
    package let domain: String

    /// - Returns: Nil where browsers offer no passkeys: at IP addresses, and without TLS except on `localhost`.
    package init?(_ url: String) {
        // The error names the wrong part; only its presence matters.
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
