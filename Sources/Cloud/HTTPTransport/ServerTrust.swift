import NIOSSL

/// Whose certificates a connection accepts.
package struct ServerTrust: Sendable {
    private let additional: [NIOSSLCertificate]

    /// Those that the system trusts.
    package static let system = ServerTrust(additional: [])

    private init(additional: [NIOSSLCertificate]) { self.additional = additional }

    /// Those of the system, and some in PEM form.
    ///
    /// - Throws: where the text has no certificate.
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
