import Basics
import Glibc

/// POSIX_SPAWN_SETSID of <spawn.h>: Swift does not see it, as glibc shows it to _GNU_SOURCE only.
let posixSpawnSetSession: Int16 = 0x80

/// Calls `body` with `arguments` as C wants them: an array of strings that ends in NULL.
func withArguments<Result>(
    _ arguments: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
        // Never empty: the NULL is always there.
        body(buffer.baseAddress!)
    }
}

/// Runs a program of the system to its end and answers its exit status (128 + signal when it was killed).
func runProgram(_ name: String, _ arguments: [String]) throws(Errno) -> Int32 {
    var pid: pid_t = 0
    let code = withArguments([name] + arguments) { posix_spawnp(&pid, name, nil, nil, $0, environ) }
    guard code == 0 else { throw Errno(code, name) }
    var status: Int32 = 0
    try check("waitpid") { waitpid(pid, &status, 0) }
    let killer = status & 0x7F
    return killer == 0 ? (status >> 8) & 0xFF : 128 + killer
}
