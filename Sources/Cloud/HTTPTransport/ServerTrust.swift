import CCurl
import Cryptography

/// The certificates that a connection accepts.
package struct ServerTrust: Sendable {
    /// Certificates in PEM form.
    private let additional: [UInt8]

    /// The certificates that the system trusts.
    package static let system = ServerTrust(additional: [])

    /// Where Debian's ca-certificates keeps what the system trusts, by the hashes of their names.
    private static let systemFolder = "/etc/ssl/certs"

    private init(additional: [UInt8]) { self.additional = additional }

    /// Trusts the system's certificates, and additional ones in PEM form.
    ///
    /// - Throws: If the text has no certificate, or one that cannot be read.
    package init(additional text: String) throws {
        let bytes = [UInt8](text.utf8)
        guard let count = Certificates.count(inPEM: bytes), count > 0 else {
            throw HTTPFailure(reason: .invalid, text: "there is no certificate")
        }
        self.init(additional: bytes)
    }

    /// Sets the certificates of a transfer. Those in memory take the place of the system's file, not of its folder.
    func apply(to easy: UnsafeMutableRawPointer) {
        guard !additional.isEmpty else { return }
        var bytes = additional
        _ = bytes.withUnsafeMutableBytes { ccurl_set_bytes(easy, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) }
        _ = ccurl_set_text(easy, CURLOPT_CAPATH, Self.systemFolder)
    }
}
