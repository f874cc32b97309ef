import ArgumentParser
import CloudAccess
import DaemonProtocol
import FoundationEssentials
import Glibc
import Logging

/// `ubiquityd sign-in`, `sign-out` and `cloud-policy`, for `ubiquity login`, `logout` and `cloud policy`: this program
/// has an HTTP client, and the command line starts faster without one. Secrets are lines of standard input: a server's
/// code and second factor, or a bucket's access key, secret key and session token. The outcome is a JSON object.
struct SignInProgram: AsyncParsableCommand {
    enum Action: String, ExpressibleByArgument {
        case signIn = "sign-in"
        case signOut = "sign-out"
        case cloudPolicy = "cloud-policy"
    }

    static func isMeant(by arguments: [String]) -> Bool {
        arguments.first.flatMap { Action(rawValue: $0) } != nil
    }

    @Argument var action: Action
    @Argument var server: String
    @Option var device = ""
    @Flag var onlyHere = false
    @Option var ca: String?
    @Flag var insecure = false
    @Flag var force = false
    @Flag var collects = false

    func run() async throws {
        var connecting = ServerAccess.Connecting()
        connecting.authorityFile = ca
        connecting.allowsPlaintext = insecure
        let logger = Logger(label: "ubiquityd") { _ in SwiftLogNoOpLogHandler() }
        let takesCredentials = CloudKind(of: server)?.takesCredentials ?? false
        var outcome: SignInOutcome
        do throws(DaemonFailure) {
            switch action {
            case .cloudPolicy:
                let policy = try BucketAccess.policy(of: server, collects: collects)
                outcome = SignInOutcome(account: nil, policy: policy)
            case .signIn where takesCredentials:
                try await BucketAccess.signIn(
                    to: server, accessKey: readLine() ?? "", secretKey: readLine() ?? "", sessionToken: readLine(),
                    authorityFile: ca, logger: logger)
                outcome = SignInOutcome(account: nil)
            case .signOut where takesCredentials:
                try BucketAccess.signOut(of: server)
                outcome = SignInOutcome(account: nil)
            case .signIn:
                let record = try await ServerAccess.signIn(
                    to: server, code: readLine() ?? "", secondFactor: readLine(), device: device, replaces: force,
                    connecting,
                    logger: logger)
                outcome = SignInOutcome(account: record?.account, asksSecondFactor: record == nil)
            case .signOut:
                try await ServerAccess.signOut(of: server, onlyHere: onlyHere, logger: logger)
                outcome = SignInOutcome(account: nil)
            }
        } catch { outcome = SignInOutcome(account: nil, failure: error) }
        let text = try ControlFrame.payload(outcome)
        let written = text.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard written == text.count else { throw ExitCode.failure }
    }
}
