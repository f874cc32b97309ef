import NIOSSL

/// The certificates that a connection accepts.
package struct ServerTrust: Sendable {
    private let additional: [NIOSSLCertificate]

    /// The certificates that the system trusts.
    package static let system = ServerTrust(additional: [])

    private init(additional: [NIOSSLCertificate]) { self.additional = additional }

    /// Trusts the system's certificates, and additional ones in PEM form.
    ///
    /// - Throws: If the text has no certificate.
    package init(additional text: String) throws {
        let found = try NIOSSLCertificate.fromPEMBytes([UInt8](text.utf8))
        guard !found.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        self.init(additional: found)
    }

    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if !additional.isEmpty { configuration.additionalTrustRoots = [.certificates(additional)] }
        return configuration
    }
}
