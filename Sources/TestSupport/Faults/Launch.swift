import CFaults
import Glibc

/// Executes a program whose system calls a ``CallSupervisor`` intercepts.
package enum Launch {
    /// The descriptor for reading the calls; high, so nothing else uses it.
    static let listener: Int32 = 199

    /// The environment variable with the program to execute.
    package static let programVariable = "FAULTS_PROGRAM"
    /// The environment variable with the path of a file for the id of the process waiting for the supervisor.
    package static let meetingVariable = "FAULTS_MEETING"
    /// The environment variable with the names of the calls, separated by commas.
    package static let callsVariable = "FAULTS_CALLS"

    /// Replaces this process with the program. Returns only if that fails, with a message.
    package static func become(_ arguments: [String]) -> String {
        guard let program = getenv(programVariable), let meeting = getenv(meetingVariable).map({ String(cString: $0) })
        else { return "\(programVariable) and \(meetingVariable) must be set" }
        let names = getenv(callsVariable).map { String(cString: $0) } ?? ""
        let calls = names.split(separator: ",").compactMap { SystemCall(rawValue: String($0))?.number }.filter {
            $0 >= 0
        }
        guard announce(at: "\(meeting).new"), rename("\(meeting).new", meeting) == 0 else {
            return "\(meeting) cannot be written: \(errno)"
        }
        // From now on the listed calls block until the supervisor attaches; until then only unlisted calls may follow.
        let watched = faults_watch(calls, Int32(calls.count))
        guard watched >= 0, dup2(watched, listener) >= 0, fcntl(listener, F_SETFD, FD_CLOEXEC) == 0 else {
            return "seccomp(2) failed: \(errno)"
        }
        var patience = 3000
        while access("\(meeting).met", F_OK) != 0, patience > 0 {
            // The supervisor has no descriptor of this process yet and so no way to wake it.
            poll(nil, 0, 10)
            patience -= 1
        }
        var pointers = arguments.map { strdup($0) } + [nil]
        pointers[0] = strdup(program)
        execv(program, &pointers)
        return "\(String(cString: program)) cannot be run: \(errno)"
    }

    private static func announce(at path: String) -> Bool {
        let file = creat(path, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let text = Array("\(getpid())".utf8)
        return Glibc.write(file, text, text.count) == text.count
    }
}
