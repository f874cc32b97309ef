import CCurl
import Cryptography

/// The certificates accepted for a connection.
package struct ServerTrust: Sendable {
    /// Certificates in PEM form.
    private let additional: [UInt8]

    /// The certificates trusted by the system.
    package static let system = ServerTrust(additional: [])

    /// Debian's ca-certificates folder of trusted certificates, by the hashes of their names.
    private static let systemFolder = "/etc/ssl/certs"

    private init(additional: [UInt8]) { self.additional = additional }

    /// Trusts the system's certificates, and additional ones in PEM form.
    ///
    /// - Throws: If the text has no certificate, or an unreadable one.
    package init(additional text: String) throws {
        let bytes = [UInt8](text.utf8)
        guard let count = Certificates.count(inPEM: bytes), count > 0 else {
            throw HTTPFailure(reason: .invalid, text: "there is no certificate")
        }
        self.init(additional: bytes)
    }

    /// Sets the certificates of a transfer. Those in memory replace the system's file, not its folder.
    func apply(to easy: UnsafeMutableRawPointer) {
        guard !additional.isEmpty else { return }
        var bytes = additional
        _ = bytes.withUnsafeMutableBytes { ccurl_set_bytes(easy, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) }
        _ = ccurl_set_text(easy, CURLOPT_CAPATH, Self.systemFolder)
    }
}
