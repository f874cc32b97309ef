import Foundation
import Simulation

/// Processes that share the work. Threads of a single process would wait for each other in the kernel, where all of
/// them map the same files.
struct Crew {
    let arguments: [String]
    let jobs: Int

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func run() throws -> Campaign.Result {
        let members = try (0..<jobs).map(start)
        var result = Campaign.Result()
        for (process, output) in members {
            let bytes = try output.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Failure(description: "a process ended with \(process.terminationStatus)")
            }
            result.add(try JSONDecoder().decode(Campaign.Result.self, from: bytes))
        }
        return result
    }

    private func start(_ share: Int) throws -> (Process, FileHandle) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments + ["--share", "\(share)", "--shares", "\(jobs)"]
        process.standardOutput = output
        try process.run()
        return (process, output.fileHandleForReading)
    }
}
