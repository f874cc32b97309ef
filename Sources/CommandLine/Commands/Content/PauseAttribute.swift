import CLinux
import CloudModel
import DaemonProtocol
import Glibc

/// The attribute `user.ubiquity.isSyncPaused` of a command's items.
enum PauseAttribute {
    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        var items: [Outcome] = []
    }

    private struct Outcome: Encodable {
        let path: String
        let failure: DaemonFailure?
    }

    /// Sets the attribute of each path and prints the outcome.
    ///
    /// - Throws: `CommandFailure` with each path's failure; the remaining paths are done.
    static func set(_ isPaused: Bool, of paths: [String], verb: String, json: Bool) throws {
        let locator = try MountLocator.current()
        var document = Document()
        for path in paths {
            let place = try locator.place(of: path)
            let shown = place.record.display(place.path)
            let outcome = Outcome(path: shown, failure: set(isPaused, of: rawArgument(path), shown))
            document.items.append(outcome)
            if outcome.failure == nil, !json { print("\(verb) \(shown).") }
        }
        if json { print(try StatusJSON.text(document)) }
        if let failure = CommandFailure(document.items.compactMap(\.failure)) { throw failure }
    }

    private static func set(_ isPaused: Bool, of path: [UInt8], _ shown: String) -> DaemonFailure? {
        let name = cString(path)
        if setxattr(name, DocumentFact.isSyncPaused.attributeName, isPaused ? "1" : "0", 1, 0) == 0 { return nil }
        let code = errno
        var status = stat()
        // A link has no such attribute: the call sets that of the link's target.
        if code == ENOENT, lstat(name, &status) == 0 {
            return DaemonFailure(
                .invalidRequest, "a symbolic link that leads nowhere cannot be paused", path: shown,
                advice: "Pause its folder.")
        }
        return failure(code, shown)
    }

    private static func failure(_ code: Int32, _ path: String) -> DaemonFailure {
        switch code {
        case ENOENT: DaemonFailure(.notFound, "no such file or folder", path: path)
        case EBUSY:
            DaemonFailure(
                .busy, "a folder above it is paused", path: path, advice: "Resume that folder.")
        case EPERM, EACCES:
            DaemonFailure(
                .permissionDenied, "a whole mount cannot be paused", path: path,
                advice: "Use `ubiquity offline`.", errno: code)
        case ENODATA, EOPNOTSUPP, EINVAL:
            DaemonFailure(
                .invalidRequest, "this cannot be paused", path: path, advice: "Name a container or an item in it.")
        default: DaemonFailure(.failed, String(cString: strerror(code)), path: path, errno: code)
        }
    }
}
