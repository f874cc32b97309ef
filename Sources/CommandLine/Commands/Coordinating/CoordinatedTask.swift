import ArgumentParser
import DaemonProtocol

/// A program to run, and the document to claim for it.
struct CoordinatedTask: ParsableArguments {
    @Argument(help: "The document; it need not exist yet.", completion: .file())
    var path: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give up waiting for the claim after this many seconds.", valueName: "seconds"))
    var timeout: Double?

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("What to run, after \"--\".", valueName: "cmd"), completion: .shellCommand("compgen -c"))
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Name the program to run, after \"--\".") }
        guard timeout.map({ $0 > 0 && $0 < 1e9 }) ?? true else {
            throw ValidationError("--timeout takes a number above 0")
        }
    }

    /// Runs the program and exits with its status.
    func run(_ mode: AccessMode) throws {
        let place = try MountLocator.current().place(of: path)
        var connection = try DaemonConnection.open(place.record)
        let outer = SurroundingClaim.current()
        let purpose = outer?.purpose ?? SurroundingClaim.newPurpose()
        let request = AccessRequest(
            accesses: [WantedAccess(path: place.path, mode: mode)], purpose: purpose, timeout: timeout,
            within: outer?.claim)
        let granted = try connection.call(request)
        let claim = connection.lastID
        SurroundingClaim(purpose: purpose, claim: granted.claim).export()
        let program = try ChildProgram.start(command)
        // The daemon's heartbeats stay unread meanwhile: at most they fill the socket's buffer.
        let status = program.wait()
        do { _ = try connection.call(FinishRequest(claim: claim)) } catch {
            Terminal.complain(error)
            Terminal.note("the claim was lost before the program ended.")
            throw ExitCode(status == 0 ? ExitStatus.failed.rawValue : status)
        }
        throw ExitCode(status)
    }
}
