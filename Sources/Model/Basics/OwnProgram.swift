import CLinux
import Glibc

/// This process's program, started again as a separate process (posix_spawn(3)).
package enum OwnProgram {
    /// Starts the program. The caller reaps the process (waitpid(2)).
    ///
    /// - Parameters:
    ///   - arguments: All of them, with the program's name first.
    ///   - environment: All of its environment, as `NAME=VALUE`.
    ///   - descriptors: Its standard descriptors, each with its source descriptor in this process. Unnamed standard
    ///     descriptors are inherited, all further ones are closed.
    ///   - purpose: For the error, such as "start the announcer".
    package static func start(
        _ arguments: [String], environment: [String] = [], descriptors: [Int32: Int32], purpose: String
    ) throws(Errno) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (standard, descriptor) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
        }
        _ = linux_spawn_closing_from(&actions, STDERR_FILENO + 1)
        // A daemon blocks signals meant to end this process.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        var process: Int32 = 0
        let code = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &words, &variables)
        guard code == 0 else { throw Errno(code, purpose) }
        return process
    }
}
