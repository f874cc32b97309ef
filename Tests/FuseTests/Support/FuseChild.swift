import Foundation
import Glibc

/// The file system's serving process, and the lines exchanged with it.
struct FuseChild {
    let process: pid_t
    private let input: FileHandle
    private let output: Int32
    private var pending: [UInt8] = []
    /// Kept because it reaps the process and holds the pipes.
    private let handle: Process

    init(_ command: [String]) throws {
        // A write to a dead child should throw and not end the tests.
        signal(SIGPIPE, SIG_IGN)
        let (toChild, fromChild) = (Pipe(), Pipe())
        handle = Process()
        handle.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        handle.arguments = command
        // A backtrace would outlive a process killed during a crash, and `waitUntilExit` would wait for it.
        handle.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        handle.standardInput = toChild
        handle.standardOutput = fromChild
        try handle.run()
        process = handle.processIdentifier
        input = toChild.fileHandleForWriting
        output = dup(fromChild.fileHandleForReading.fileDescriptor)
    }

    /// Returns the path of the program, built beside the tests.
    static func program() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/fuse-test-fs"
    }

    func writeLine(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Returns the next line of the output. Throws if the process has ended, or prints no line in time.
    mutating func readLine() throws -> String {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Int32(FuseFixture.patience * 1000)) == 1 else {
                kill()
                throw FuseFixture.Failure(description: "the serving process does not answer")
            }
            var block = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &block, block.count)
            guard count > 0 else { throw FuseFixture.Failure(description: "the serving process has ended") }
            pending += block[..<count]
        }
    }

    func kill() {
        Glibc.kill(process, SIGKILL)
        handle.waitUntilExit()
    }
}

/// A program on the mount.
final class FuseProgram: Sendable {
    let process: pid_t
    private let handle: Process
    private let output: Pipe
    /// The process to kill if this program hangs in the kernel.
    private let served: pid_t

    init(_ command: [String], served: pid_t) throws {
        self.served = served
        handle = Process()
        output = Pipe()
        handle.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        handle.arguments = command
        handle.standardInput = FileHandle.nullDevice
        handle.standardOutput = output
        handle.standardError = output
        try handle.run()
        process = handle.processIdentifier
    }

    /// Waits until the program ends. After a timeout, kills the serving process and the program, which ends the wait.
    func outcome(within seconds: Int = FuseFixture.patience) async throws -> FuseFixture.Outcome {
        let guardian = DispatchWorkItem { [process, served] in
            kill(served, SIGKILL)
            kill(process, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: guardian)
        let outcome = try await onThread { [handle, output] in
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            handle.waitUntilExit()
            let sign: Int32 = handle.terminationReason == .exit ? 1 : -1
            return FuseFixture.Outcome(
                status: sign * handle.terminationStatus, output: String(decoding: said, as: UTF8.self))
        }
        guardian.cancel()
        return outcome
    }
}
