import Subprocess
import SystemPackage

/// Runs programs using a mount, each for a bounded time.
///
/// An unresponsive file system blocks a process in the kernel, where no signal reaches it. When the time is over, the
/// runner therefore kills the daemons too, which frees the process and lets the test fail instead of hang.
package struct ProgramRunner: Sendable {
    package static let defaultLimit: Duration = .seconds(120)

    let environment: [String: String]
    /// Kills the daemons possibly blocking a program in the kernel.
    let release: @Sendable () -> Void

    package init(environment: [String: String], release: @escaping @Sendable () -> Void) {
        self.environment = environment
        self.release = release
    }

    /// Returns this runner with additional environment variables for the programs.
    package func adding(_ variables: [String: String]) -> ProgramRunner {
        ProgramRunner(environment: environment.merging(variables) { _, new in new }, release: release)
    }

    /// Runs a program to its end; if it outlasts `limit` it is killed, and the call throws.
    package func run(
        _ program: String, _ arguments: [String], in directory: String, limit: Duration = defaultLimit
    ) async throws -> ProgramOutcome {
        let command = ([program] + arguments).joined(separator: " ")
        return try await withThrowingTaskGroup(of: ProgramOutcome.self) { group in
            group.addTask { try await execute(program, arguments, directory, command) }
            group.addTask {
                try await Task.sleep(for: limit)
                release()
                throw EndToEndError("`\(command)` did not end within \(limit)")
            }
            defer { group.cancelAll() }
            guard let outcome = try await group.next() else { throw CancellationError() }
            return outcome
        }
    }

    private func execute(
        _ program: String, _ arguments: [String], _ directory: String, _ command: String
    ) async throws -> ProgramOutcome {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
        let variables = Dictionary(
            uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) })
        let result = try await Subprocess.run(
            program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
            environment: .inherit.updating(variables), workingDirectory: FilePath(directory), platformOptions: options,
            output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
        let status: Int32 =
            switch result.terminationStatus {
            case .exited(let code): Int32(code)
            case .signaled(let signal): -Int32(signal)
            }
        return ProgramOutcome(
            command: command, status: status, output: result.standardOutput, errors: result.standardError)
    }
}
