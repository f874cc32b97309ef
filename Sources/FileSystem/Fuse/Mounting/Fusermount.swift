import Basics
import CFuse3
import Glibc

/// `fusermount3(1)`, the set-user-ID program for mounting as an ordinary user; it hands back the connection.
enum Fusermount {
    private static let program = "fusermount3"
    /// The environment variable with the number of the socket on which `fusermount3` sends the descriptor.
    private static let socketVariable = "_FUSE_COMMFD"

    static func mount(_ path: String, _ options: FuseOptions) throws(FuseError) -> Int32 {
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            throw FuseError(.system, "A socket could not be created: \(String(cString: strerror(errno))).")
        }
        defer { close(sockets[0]) }
        var words = "fsname=\(options.name),subtype=\(options.name),\(FuseMount.shared(options))"
        if options.isReadOnly { words += ",ro" }
        let result = Result { () throws(FuseError) in try run(["-o", words, "--", path], socket: sockets[1]) }
        // With the helper's end closed in this process too, a missing descriptor shows as end-of-file and not as
        // silence.
        close(sockets[1])
        let outcome = try result.get()
        guard outcome.status == 0 else { throw failure(outcome, "mounting", path) }
        let device = cfuse_receive_descriptor(sockets[0])
        guard device >= 0 else {
            throw FuseError(
                .helper, "\(program) did not hand over the mount at \(path): \(String(cString: strerror(errno))).")
        }
        return device
    }

    static func unmount(_ path: String, lazily: Bool) throws(FuseError) {
        let result = try run((lazily ? ["-u", "-z"] : ["-u"]) + ["--", path], socket: nil)
        guard result.status != 0 else { return }
        if result.errorOutput.contains("busy") { throw FuseMountPoint.busy(path) }
        throw failure(result, "unmounting", path)
    }

    private static func run(_ arguments: [String], socket: Int32?) throws(FuseError) -> BriefProcess.Result {
        do throws(Errno) {
            return try BriefProcess.run(
                program, arguments, inherit: socket, as: socketVariable)
        } catch {
            throw FuseError(
                .helper, "\(program) cannot be run (\(error.description)). Install the package fuse3, or run as root.")
        }
    }

    private static func failure(_ result: BriefProcess.Result, _ doing: String, _ path: String) -> FuseError {
        let said = result.errorOutput.isEmpty ? "status \(result.status)" : result.errorOutput
        if said.contains("/dev/fuse") || said.contains("device not found") {
            return FuseError(
                .device,
                "\(program) could not open /dev/fuse while \(doing) \(path) (\(said)). Let users open it: `chmod 666 /dev/fuse`."
            )
        }
        if said.contains("user_allow_other") {
            return FuseError(
                .notPermitted, "\(said). Add the line user_allow_other to /etc/fuse.conf, or mount without it.")
        }
        if said.contains("not permitted") || said.contains("ermission denied") || said.contains("no write access") {
            return FuseError(
                .notPermitted,
                "\(doing.capitalizedFirst) \(path) was refused (\(said)). The folder must be yours, and \(program) set-user-ID root."
            )
        }
        return FuseError(.helper, "\(doing.capitalizedFirst) \(path) failed: \(said).")
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
