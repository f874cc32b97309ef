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

    func run() throws {
        guard let code = code ?? Terminal.ask("Sign-in code:") else {
            throw CommandFailure(.refused, "there is no sign-in code", path: server, advice: "Say it with --code.")
        }
        let arguments = ["sign-in", "--device=\(device ?? hostName())", "--", server]
        let outcome = try ServerHelper.run(arguments, input: "\(code)\n")
        print("Signed in to \(server) as \(outcome.account ?? "?"). Mount it with: ubiquity mount --cloud \(server)")
    }
}

/// `ubiquity logout`: ends this device's access to a server.
struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End this device's access to a server.",
        discussion: """
            Files stay: mounts of that server go on with what is on this device, and edits that are not uploaded wait \
            until you sign in again. To give the space back, unmount and remove the state directory that `ubiquity \
            status` names.
            """)

    @Argument(help: ArgumentHelp("The server: http(s)://HOST[:PORT].", valueName: "url"))
    var server: String

    @Flag(help: "Forget the sign-in without telling the server; it should then be ended there, too.")
    var onlyHere = false

    @Flag(help: "Do not ask.")
    var yes = false

    func run() throws {
        guard
            yes
                || Terminal.confirms(
                    "Sign out of \(server)? Its files stay on this device; nothing syncs until you sign in again.")
        else {
            throw CommandFailure(
                .refused, "not confirmed", path: server, advice: "Say --yes where nobody can be asked.")
        }
        _ = try ServerHelper.run(["sign-out"] + (onlyHere ? ["--only-here"] : []) + ["--", server], input: "")
        print("Signed out of \(server).")
    }
}

private func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
