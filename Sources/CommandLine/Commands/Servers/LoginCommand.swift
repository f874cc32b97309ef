import ArgumentParser
import DaemonProtocol
import Glibc

/// `ubiquity login`: signs this device in at a server, or keeps the credentials of a bucket.
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign this device in at a server of your own, or keep the credentials of a bucket.",
        discussion: """
            The server's owner makes the code with `ubiquity-server account add NAME` or `account code NAME`; it works \
            once. Without --code the command asks for it. The token that replaces it is stored in your XDG state home, readable \
            only by you. Afterwards: ubiquity mount --cloud URL.

            The certificate of an https server has to be signed by an authority that this system trusts, or by one in \
            the file of --ca, which is kept with the sign-in. Another machine is reached over http only with --insecure.

            For a bucket, s3://BUCKET/PREFIX?endpoint=URL&region=REGION, the access key and the secret key are asked for, or \
            read as two lines of standard input; a third line is a session token. They are checked and kept for this address, \
            with the authority of --ca.
            """)

    @Argument(help: ArgumentHelp("The server: http(s)://HOST[:PORT], or s3://BUCKET/PREFIX.", valueName: "url"))
    var server: String

    @Option(help: "The sign-in code.")
    var code: String?

    @Option(
        help: ArgumentHelp(
            "A code of the account's authenticator app, or a recovery code, if the account requires one.",
            valueName: "code"))
    var secondFactor: String?

    @Option(
        help: ArgumentHelp(
            "The name of this device in the server's list, and of mounts (default: the host's name).", valueName: "name"
        ))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Keep this sign-in beside those of other accounts of the server. Mounts name it: https://ACCOUNT@HOST.",
            valueName: "name"))
    var account: String?

    @Option(help: ArgumentHelp("A PEM file with a certificate authority to trust for this address.", valueName: "file"))
    var ca: String?

    @Flag(help: "Allow http to another machine: the sign-in and all documents cross the network unencrypted.")
    var insecure = false

    @Flag(help: "Replace a sign-in with another account.")
    var force = false

    func validate() throws {
        if isBucket {
            guard code == nil, secondFactor == nil, device == nil, account == nil, !insecure, !force else {
                throw ValidationError("the credentials of a bucket are asked for; only --ca and --json go with s3://")
            }
            return
        }
        guard CloudKind(of: server)?.hasAccounts ?? false else {
            throw ValidationError("'\(server)' is not a server address such as https://cloud.example.com:8443")
        }
        if let account, CloudAddress.server(server, account: account) == nil {
            throw ValidationError("the address names an account already; leave out --account")
        }
    }

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let server: String
        let account: String?
    }

    /// The address with the account, as mounts use it.
    private var cloud: String { account.flatMap { CloudAddress.server(server, account: $0) } ?? server }

    private var isBucket: Bool { CloudKind(of: server)?.takesCredentials ?? false }

    func run() throws {
        if isBucket { return try keepCredentials() }
        guard let code = code ?? Terminal.ask("Sign-in code:") else {
            throw CommandFailure(.refused, "there is no sign-in code", path: server, advice: "Pass it with --code.")
        }
        var arguments = ["sign-in", "--device=\(device ?? hostName())"]
        if let ca { arguments.append("--ca=\(ca)") }
        if insecure { arguments.append("--insecure") }
        if force { arguments.append("--force") }
        arguments += ["--", cloud]
        var outcome = try ServerHelper.run(arguments, input: input(code, secondFactor))
        if outcome.asksSecondFactor ?? false {
            guard let factor = Terminal.ask("Code of the authenticator app:"), !factor.isEmpty else {
                throw CommandFailure(
                    .refused, "the account also requires a code of its authenticator app", path: server,
                    advice: "Pass it with --second-factor; the sign-in code is still valid.")
            }
            outcome = try ServerHelper.run(arguments, input: input(code, factor))
        }
        syncMounts()
        if json { return print(try StatusJSON.text(Document(server: cloud, account: outcome.account))) }
        let account = printable(outcome.account ?? "?")
        print("Signed in to \(server) as \(account). \(MountAdvice(cloud: cloud).text)")
    }
}

extension LoginCommand {
    /// Has the mounts query their clouds again, which may now accept requests refused before.
    private func syncMounts() {
        for record in MountRegistry.standard.records() {
            // An unresponsive daemon queries its cloud later.
            guard var connection = try? DaemonConnection.open(record, patience: .seconds(2)) else { continue }
            _ = try? connection.call(SyncRequest(paths: [], wait: false))
        }
    }

    /// Keeps a bucket's credentials. They are never arguments, which other users of the machine could read.
    private func keepCredentials() throws {
        guard let key = Terminal.ask("Access key:"), let secret = Terminal.askSecret("Secret key:") else {
            throw CommandFailure(
                .refused, "there are no credentials", path: server,
                advice: "Pass the access key and the secret key as two lines of standard input.")
        }
        let token = Terminal.hasInput ? nil : Terminal.ask("")
        let lines = [key, secret] + (token.flatMap { $0.isEmpty ? nil : [$0] } ?? [])
        let options = ca.map { ["--ca=\($0)"] } ?? []
        _ = try ServerHelper.run(["sign-in"] + options + ["--", server], input: lines.map { "\($0)\n" }.joined())
        if json { return print(try StatusJSON.text(Document(server: server, account: nil))) }
        print("The credentials work and are kept. Mount the cloud with: ubiquity mount --cloud '\(server)'")
    }
}

/// Returns the helper's input: a line for each value.
private func input(_ code: String, _ factor: String?) -> String {
    // A line break within an argument must not begin a new line.
    ([code] + (factor.map { [$0] } ?? [])).map { "\($0.filter { !$0.isNewline })\n" }.joined()
}

private func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
