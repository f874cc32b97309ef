import Basics
import CCurl
import Glibc

/// Explains an unreachable server to a person who has to act on it.
package enum ConnectionProblem {
    /// Returns a clause such as `connection refused`, and the remedy if there is one.
    package static func description(of error: any Error) -> String {
        guard let failure = error as? HTTPFailure else { return "\(error)" }
        return switch failure.reason {
        case .late, .silent, .invalid, .closed: failure.text
        case .library(let code): library(CURLcode(code), failure)
        }
    }

    private static func library(_ code: CURLcode, _ failure: HTTPFailure) -> String {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: "there is no host of that name, or no name server responded"
        case CURLE_COULDNT_CONNECT: failure.system == 0 ? "no connection" : system(failure.system)
        case CURLE_OPERATION_TIMEDOUT where failure.isHandshake:
            "no TLS handshake; is this the port of an https server?"
        case CURLE_OPERATION_TIMEDOUT: "no answer within ten seconds"
        // The last two: libcurl found a kept connection closed, and may not repeat the request.
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_ABORTED_BY_CALLBACK, CURLE_SEND_FAIL_REWIND:
            "it closed the connection; does it expect https?"
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR: system(failure.system == 0 ? ECONNRESET : failure.system)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: "it does not speak HTTP (\(failure.text))"
        case CURLE_PEER_FAILED_VERIFICATION: certificate(failure.text)
        case CURLE_SSL_CONNECT_ERROR: tls(failure.text)
        default: failure.text
        }
    }

    private static func system(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused; is the server running, and is this its port?"
        case ENETUNREACH, EHOSTUNREACH: "the network has no route to it"
        case ECONNRESET, EPIPE: "it closed the connection; does it expect https?"
        case ETIMEDOUT: "no answer within ten seconds"
        default: "\(Errno(code))"
        }
    }

    /// libcurl and OpenSSL give their reasons only as text.
    private static func certificate(_ text: String) -> String {
        if text.contains("subject name") || text.contains("host name") {
            return "its certificate is for another host name"
        }
        if text.contains("expired") { return "its certificate has expired" }
        return """
            its certificate is not trusted. For a certificate authority of your own use `ubiquity login --ca FILE`, or install it: \
            copy it to /usr/local/share/ca-certificates/NAME.crt and run update-ca-certificates
            """
    }

    private static func tls(_ text: String) -> String {
        let isPlain = ["wrong version number", "http request", "packet length too long", "record layer"]
        if isPlain.contains(where: text.contains) { return "it does not speak TLS; use http://" }
        return "no TLS connection (\(text))"
    }
}
