import ArgumentParser
import DaemonProtocol

/// `ubiquity logout`: ends this device's access to a server.
struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End this device's access to a server.",
        discussion: """
            With --keep-files, mounts of that server keep their local files. With --remove-files, local bytes that the server \
            has are removed first; names and dates are still shown. Edits that are not uploaded are kept in both cases, and \
            are uploaded when you sign in again. Without either option the command asks. Of a bucket, s3://BUCKET/PREFIX, only \
            the credentials are removed; they stay valid until you revoke them at the store.
            """)

    @Argument(help: ArgumentHelp("The server: http(s)://HOST[:PORT], or s3://BUCKET/PREFIX.", valueName: "url"))
    var server: String

    @Flag(help: "Delete the sign-in without notifying the server; revoke it there, too.")
    var onlyHere = false

    @Flag(help: "Keep the files on this device.")
    var keepFiles = false

    @Flag(help: "Remove the local bytes of documents that the server has.")
    var removeFiles = false

    @Flag(help: "Do not ask; files stay unless --remove-files is given.")
    var yes = false

    func validate() throws {
        guard !(keepFiles && removeFiles) else {
            throw ValidationError("--keep-files and --remove-files exclude each other")
        }
    }

    func run() throws {
        if try wish() == .remove { try LocalFiles(of: server).remove() }
        _ = try ServerHelper.run(["sign-out"] + (onlyHere ? ["--only-here"] : []) + ["--", server], input: "")
        print("Signed out of \(server).")
    }

    private func wish() throws -> LocalFiles.Wish {
        if removeFiles { return .remove }
        if keepFiles || yes { return .keep }
        guard Terminal.hasInput else { throw unconfirmed }
        let answer = Terminal.ask(
            "Sign out of \(server)? Nothing syncs until you sign in again. (k)eep its files on this device, (r)emove them, or (c)ancel:"
        )
        switch answer?.lowercased().first {
        case "k": return .keep
        case "r": return .remove
        default: throw unconfirmed
        }
    }

    private var unconfirmed: CommandFailure {
        Terminal.hasInput
            ? CommandFailure(.refused, "not signed out", path: server)
            : CommandFailure(
                .refused, "cannot ask without a terminal", path: server, advice: "Pass --keep-files or --remove-files."
            )
    }
}
