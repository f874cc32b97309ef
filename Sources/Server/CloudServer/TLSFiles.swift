import Glibc
import Logging
import NIOSSL

/// Why a certificate or its key cannot be used, and the remedy.
package struct TLSProblem: Error, CustomStringConvertible {
    package let description: String
}

/// The PEM files of a server's certificate and its key.
struct TLSFiles {
    let chain: String
    let key: String

    /// Returns a configuration for TLS 1.2 and later with HTTP/1.1.
    ///
    /// - Throws: ``TLSProblem``, naming the file.
    func configuration(_ log: Logger) throws(TLSProblem) -> TLSConfiguration {
        try requireReadable(chain, "--tls-certificate")
        try requireReadable(key, "--tls-key")
        warnOfOthers(log)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try certificates(), privateKey: .privateKey(try privateKey()))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }

    private func certificates() throws(TLSProblem) -> [NIOSSLCertificateSource] {
        do { return try NIOSSLCertificate.fromPEMFile(chain).map { .certificate($0) } } catch {
            throw TLSProblem(
                description:
                    "\(chain) has no certificate in PEM form (-----BEGIN CERTIFICATE-----). Check --tls-certificate.")
        }
    }

    private func privateKey() throws(TLSProblem) -> NIOSSLPrivateKey {
        do { return try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw TLSProblem(
                description: """
                    \(key) has no private key in PEM form without a passphrase (-----BEGIN PRIVATE KEY-----). Check --tls-key.
                    """)
        }
    }

    private func requireReadable(_ path: String, _ option: String) throws(TLSProblem) {
        guard access(path, R_OK) != 0 else { return }
        throw TLSProblem(description: "\(path) cannot be read: \(String(cString: strerror(errno))). Check \(option).")
    }

    private func warnOfOthers(_ log: Logger) {
        var information = stat()
        guard stat(key, &information) == 0, information.st_mode & 0o007 != 0 else { return }
        log.warning("every user of this machine can read the TLS key; run: chmod 600 \(key)")
    }
}
