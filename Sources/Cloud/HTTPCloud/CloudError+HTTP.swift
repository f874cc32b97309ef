import Basics
import CloudProtocol
import CloudStorage
import HTTPTransport

extension CloudError {
    /// Converts a failure returned by a server.
    init(_ failure: CloudFailure, from address: ServerAddress) {
        // A server's message must not be able to control the terminal.
        let visible = CloudFailure(failure.code, visible(failure.message))
        // The sign-in has to distinguish this failure from other refusals.
        let cause = failure.code == .secondFactor ? visible : nil
        self.init(Self.code(of: failure.code), Self.message(visible, address), cause: cause)
    }

    private static func code(of code: CloudFailure.Code) -> Code {
        switch code {
        case .unauthorized, .secondFactor: .unauthorized
        case .forbidden: .readOnly
        case .notFound: .notFound
        // Retried until the first device has created the cloud, or until the server has its data again.
        case .noCloud: .offline
        case .damaged: .damaged
        case .diverged: .diverged
        case .foreign: .foreign
        case .quota, .serverFull: .quota
        case .clientTooOld: .tooNew
        case .clientTooNew: .tooOld
        case .busy, .invalidRequest, .tooLarge, .failed: .failed
        }
    }

    private static func message(_ failure: CloudFailure, _ address: ServerAddress) -> String {
        switch failure.code {
        // The server gives the reason: no sign-in, an invalid code, a device not confirmed since a restore.
        case .unauthorized: "\(address): \(failure.message) Sign in with: ubiquity login \(address)."
        case .forbidden:
            "\(address): \(failure.message) To upload edits, sign in with a code for full access: ubiquity login \(address)."
        default: "\(address): \(failure.message)"
        }
    }

    static func notSignedIn(_ address: ServerAddress) -> CloudError {
        CloudError(
            .unauthorized, "This device is not signed in to \(address). Sign in with: ubiquity login \(address).")
    }

    static func unreachable(_ address: ServerAddress, _ cause: any Error) -> CloudError {
        CloudError(
            .offline, "Cannot connect to \(address): \(ConnectionProblem.description(of: cause)).", cause: cause)
    }

    /// The error for a response from a foreign source: a proxy whose server is down, a network's sign-in page, an
    /// unrelated program.
    static func foreignResponse(_ address: ServerAddress, status: Int) -> CloudError {
        CloudError(
            .offline,
            "\(address) is not a ubiquity-server: another program, a proxy or a sign-in page responded (status \(status))."
        )
    }

    static func version(_ relation: CloudProtocolVersion.Relation, _ address: ServerAddress) -> CloudError {
        relation == .newer
            ? CloudError(.tooNew, "The server \(address) is newer than this program. Update ubiquity on this device.")
            : CloudError(
                .tooOld, "The server \(address) is older than this program needs. Update ubiquity-server there.")
    }
}

/// Returns a server's text with control and formatting characters, which could control a terminal or change the
/// direction of a line, replaced by `?`.
func visible(_ text: String) -> String {
    let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
    return String(
        String.UnicodeScalarView(
            text.unicodeScalars.prefix(2_000).map { hidden.contains($0.properties.generalCategory) ? "?" : $0 }))
}

/// Runs a decoder of the protocol and reports a server's malformed data as `damaged`.
func decoding<T>(_ body: () throws(ByteCodingError) -> T) throws(CloudError) -> T {
    do { return try body() } catch {
        throw CloudError(.damaged, "The server's response cannot be parsed: \(error).", cause: error)
    }
}
