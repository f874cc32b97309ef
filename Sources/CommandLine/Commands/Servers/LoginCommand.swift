import ArgumentParser
import DaemonProtocol
import Glibc

/// `ubiquity login`: signs this device in at a server.
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign this device in at a server of your own.",
        discussion: """
            The server's owner makes the code with `ubiquity-server account add NAME` or `account code NAME`; it works \
            once. Without --code it is asked for. What this device keeps instead can be read by you only, in your XDG \
            state home. Afterwards: ubiquity mount --cloud URL.
            """)

    @Argument(help: ArgumentHelp("The server: http(s)://HOST[:PORT].", valueName: "url"))
    var server: String

    @Option(help: "The sign-in code.")
    var code: String?

    @Option(
        help: ArgumentHelp("What the server's list calls this device (default: the host's name).", valueName: "name"))
    var device: String?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// What `--json` prints.
    private struct Document: Encodable {
        let format = 1
        let server: String
        let account: String?
    }

    func run() throws {
        guard let code = code ?? Terminal.ask("Sign-in code:") else {
            throw CommandFailure(.refused, "there is no sign-in code", path: server, advice: "Say it with --code.")
        }
        let arguments = ["sign-in", "--device=\(device ?? hostName())", "--", server]
        let outcome = try ServerHelper.run(arguments, input: "\(code)\n")
        if json { return print(try StatusJSON.text(Document(server: server, account: outcome.account))) }
        print("Signed in to \(server) as \(outcome.account ?? "?"). Mount it with: ubiquity mount --cloud \(server)")
    }
}

private func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
