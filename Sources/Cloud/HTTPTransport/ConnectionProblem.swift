import AsyncHTTPClient
import Basics
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Explains why a server could not be reached to a person who has to act on it.
package enum ConnectionProblem {
    /// Returns a clause such as `connection refused`, and what to do where anything helps.
    package static func description(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError: connection(error)
        case let error as IOError: system(error.errnoCode)
        case let error as NIOSSLError: tls("\(error)")
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "its certificate is for another host name"
        case let error as HTTPClientError: client(error)
        default: text("\(error)")
        }
    }

    private static func client(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout: "no answer within ten seconds"
        case .tlsHandshakeTimeout: "no TLS handshake; is this the port of an https server?"
        case .readTimeout, .deadlineExceeded: "it accepted the connection and sent nothing"
        case .remoteConnectionClosed: "it closed the connection; does it expect https?"
        default: text("\(error)")
        }
    }

    private static func connection(_ error: NIOConnectionError) -> String {
        if error.dnsAError != nil, error.dnsAAAAError != nil, error.connectionErrors.isEmpty {
            return "there is no host of that name, or no name server responded"
        }
        let codes = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
        return codes.first.map(system) ?? "no connection"
    }

    private static func system(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused; is the server running, and is this its port?"
        case ENETUNREACH, EHOSTUNREACH: "the network has no route to it"
        case ECONNRESET: "it closed the connection; does it expect https?"
        case ETIMEDOUT: "no answer within ten seconds"
        default: "\(Errno(code))"
        }
    }

    /// BoringSSL gives its reasons only as text.
    private static func tls(_ text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return """
                its certificate is not trusted. For a certificate authority of your own use `ubiquity login --ca FILE`, or install it: \
                copy it to /usr/local/share/ca-certificates/NAME.crt and run update-ca-certificates
                """
        }
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return "it does not speak TLS; use http://"
        }
        return "no TLS connection (\(text))"
    }

    private static func text(_ text: String) -> String {
        let tls = tls(text)
        return tls.hasPrefix("no TLS") ? text : tls
    }
}
