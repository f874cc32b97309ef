import CLinux
import CloudModel
import DaemonProtocol
import Glibc

/// The attribute `user.ubiquity.isSyncPaused` of the items that a command names.
enum PauseAttribute {
    /// Sets the attribute on each path and prints the outcome.
    ///
    /// - Throws: `CommandFailure` with the error of each path that failed; the other paths are done.
    static func set(_ isPaused: Bool, of paths: [String], verb: String) throws {
        let locator = try MountLocator.current()
        var failures: [DaemonFailure] = []
        for path in paths {
            let place = try locator.place(of: path)
            let shown = place.record.display(place.path)
            if setxattr(path, DocumentFact.isSyncPaused.attributeName, isPaused ? "1" : "0", 1, 0) == 0 {
                print("\(verb) \(shown).")
            } else {
                failures.append(failure(errno, shown))
            }
        }
        if let failure = CommandFailure(failures) { throw failure }
    }

    private static func failure(_ code: Int32, _ path: String) -> DaemonFailure {
        switch code {
        case ENOENT: DaemonFailure(.notFound, "it does not exist", path: path)
        case EBUSY:
            DaemonFailure(
                .busy, "the sync of a folder that it is in is paused", path: path, advice: "Resume the folder.")
        case EPERM, EACCES:
            DaemonFailure(.permissionDenied, "its sync cannot be changed", path: path, errno: code)
        case ENODATA, EOPNOTSUPP, EINVAL:
            DaemonFailure(
                .invalidRequest, "this cannot be paused", path: path, advice: "Name a container or something in it.")
        default: DaemonFailure(.failed, String(cString: strerror(code)), path: path, errno: code)
        }
    }
}
