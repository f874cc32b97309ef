import ArgumentParser
import DaemonCore
import DaemonProtocol
import FoundationEssentials
import Glibc
import Logging

/// `ubiquityd sign-in` and `ubiquityd sign-out`, which perform `ubiquity login` and `logout`: this program has an HTTP client, and the
/// command line starts faster without one. The code and the second factor are lines of standard input; the outcome is one JSON object.
struct SignInProgram: AsyncParsableCommand {
    enum Action: String, ExpressibleByArgument {
        case signIn = "sign-in"
        case signOut = "sign-out"
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

    func run() async throws {
        var connecting = ServerAccess.Connecting()
        connecting.authorityFile = ca
        connecting.allowsPlaintext = insecure
        let logger = Logger(label: "ubiquityd") { _ in SwiftLogNoOpLogHandler() }
        var outcome: SignInOutcome
        do throws(DaemonFailure) {
            switch action {
            case .signIn:
                let record = try await ServerAccess.signIn(
                    to: server, code: readLine() ?? "", secondFactor: readLine(), device: device, connecting,
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
