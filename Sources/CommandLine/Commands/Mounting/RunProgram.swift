import Basics
import Glibc

/// POSIX_SPAWN_SETSID of <spawn.h>, declared by glibc only for _GNU_SOURCE, so Swift does not import it.
let posixSpawnSetSession: Int16 = 0x80

/// Calls `body` with `arguments` in C's form: a NULL-terminated array of strings.
func withArguments<Result>(
    _ arguments: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
        // The buffer is never empty, since it contains at least the NULL.
        body(buffer.baseAddress!)
    }
}

/// Runs a system program to its end and returns its exit status, or 128 plus its terminating signal's number.
func runProgram(_ name: String, _ arguments: [String]) throws(Errno) -> Int32 {
    var pid: pid_t = 0
    let code = withArguments([name] + arguments) { posix_spawnp(&pid, name, nil, nil, $0, environ) }
    guard code == 0 else { throw Errno(code, name) }
    var status: Int32 = 0
    try check("waitpid") { waitpid(pid, &status, 0) }
    let killer = status & 0x7F
    return killer == 0 ? (status >> 8) & 0xFF : 128 + killer
}
