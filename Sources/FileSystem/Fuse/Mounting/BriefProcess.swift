import Basics
import CFuse3
import Glibc

/// Runs a short-lived program and captures its error output.
enum BriefProcess {
    struct Result {
        /// The exit status, or 128 plus the number of the signal ending the program.
        let status: Int32
        let errorOutput: String
    }

    /// Runs `program`, found on the path, and waits for its end. The descriptor `inherit` stays open in it; the environment variable
    /// `variable` then holds the descriptor's number there.
    static func run(
        _ program: String, _ arguments: [String], inherit: Int32?, as variable: String
    ) throws(Errno) -> Result {
        var pipes: [Int32] = [-1, -1]
        try check("pipe") { cfuse_pipe(&pipes) }
        defer { close(pipes[0]) }
        // Number 3: the first after the standard ones, and certain to be free in the new program.
        let environment = inherit == nil ? [] : ["\(variable)=3"]
        let started = Swift.Result { () throws(Errno) in
            try spawn(program, arguments, environment, errors: pipes[1], inherit: inherit)
        }
        close(pipes[1])
        let process = try started.get()
        let said = try readAll(pipes[0])
        var status: Int32 = 0
        try check("wait for \(program)") { waitpid(process, &status, 0) }
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        return Result(status: code, errorOutput: said)
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ additions: [String], errors: Int32, inherit: Int32?
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        if let inherit { posix_spawn_file_actions_adddup2(&actions, inherit, 3) }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = (inheritedEnvironment() + additions).map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, nil, &words, &variables)
        guard code == 0 else { throw Errno(code, "start \(program)") }
        return process
    }

    /// Returns an environment with only the path: a set-user-ID program should get no more than it needs.
    private static func inheritedEnvironment() -> [String] {
        let usual = "/usr/local/bin:/usr/bin:/bin"
        return ["PATH=\(getenv("PATH").map { String(cString: $0) } ?? usual)", "LC_ALL=C"]
    }

    private static func readAll(_ file: Int32) throws(Errno) -> String {
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1024)
        while true {
            let count = try check("read a program's messages") { read(file, &block, block.count) }
            if count == 0 { break }
            content.append(contentsOf: block[..<count])
        }
        while content.last == UInt8(ascii: "\n") { content.removeLast() }
        return String(decoding: content, as: UTF8.self)
    }
}
