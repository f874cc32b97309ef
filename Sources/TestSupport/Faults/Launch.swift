import CFaults
import Glibc

/// Becomes another program whose system calls a ``CallSupervisor`` decides about.
package enum Launch {
    /// The descriptor that the calls are read from; high, so that it is nobody else's.
    static let listener: Int32 = 199

    /// The program to become.
    package static let programVariable = "FAULTS_PROGRAM"
    /// A file that says who waits for the supervisor.
    package static let meetingVariable = "FAULTS_MEETING"
    /// Names of the calls, separated by commas.
    package static let callsVariable = "FAULTS_CALLS"

    /// Returns only if it fails, with a sentence.
    package static func become(_ arguments: [String]) -> String {
        guard let program = getenv(programVariable), let meeting = getenv(meetingVariable).map({ String(cString: $0) })
        else { return "\(programVariable) and \(meetingVariable) must be set" }
        let names = getenv(callsVariable).map { String(cString: $0) } ?? ""
        let calls = names.split(separator: ",").compactMap { SystemCall(rawValue: String($0))?.number }.filter {
            $0 >= 0
        }
        guard announce(at: "\(meeting).new"), rename("\(meeting).new", meeting) == 0 else {
            return "\(meeting) can not be written: \(errno)"
        }
        // From here on some calls wait for the supervisor: until it is there, only others may be made.
        let watched = faults_watch(calls, Int32(calls.count))
        guard watched >= 0, dup2(watched, listener) >= 0, fcntl(listener, F_SETFD, FD_CLOEXEC) == 0 else {
            return "seccomp(2) failed: \(errno)"
        }
        var patience = 3000
        while access("\(meeting).met", F_OK) != 0, patience > 0 {
            // The other process has no way to wake this one: it holds nothing of it yet.
            poll(nil, 0, 10)
            patience -= 1
        }
        var pointers = arguments.map { strdup($0) } + [nil]
        pointers[0] = strdup(program)
        execv(program, &pointers)
        return "\(String(cString: program)) can not be run: \(errno)"
    }

    private static func announce(at path: String) -> Bool {
        let file = creat(path, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let text = Array("\(getpid())".utf8)
        return Glibc.write(file, text, text.count) == text.count
    }
}
