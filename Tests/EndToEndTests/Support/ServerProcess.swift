import Foundation
import Glibc
import Synchronization
import TestSupport

/// A real `ubiquity-server` with its data directory, on a fixed port across restarts.
final class ServerProcess: Sendable {
    let port: Int
    let data: String
    private let program: String
    private let options: [String]
    private let logLevel: String
    /// The destination of the server's log; nil: the tests' log.
    private let log: FileHandle?
    private let running = Mutex<Process?>(nil)

    var url: String { "\(options.isEmpty ? "http" : "https")://127.0.0.1:\(port)" }

    /// Any `options` are those of a server with a certificate.
    init(options: [String] = [], data: String? = nil, logLevel: String = "warning", log: FileHandle? = nil) throws {
        self.options = options
        self.logLevel = logLevel
        self.log = log
        port = try Loopback.reservePort()
        self.data = data ?? "\(NSTemporaryDirectory())/ubq-server-\(UUID().uuidString)"
        program = "\(try TestDevices.binaries())/ubiquity-server"
    }

    /// Runs `body` with a server that has a single account and issues sign-in codes for it.
    static func with(_ body: (ServerProcess) async throws -> Void) async throws {
        let server = try ServerProcess()
        do {
            try server.start()
            _ = try server.command(["account", "add", "anna"])
            try await body(server)
        } catch {
            server.close()
            throw error
        }
        server.close()
    }

    /// Starts the server and returns when it listens.
    func start() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = ["--data", data, "--listen", "127.0.0.1:\(port)", "--log-level", logLevel] + options
        process.standardOutput = output
        if let log { process.standardError = log }
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard line.contains("listens on \(url)") else {
            process.terminate()
            throw EndToEndError("the server did not start: \(line)")
        }
        running.withLock { $0 = process }
    }

    func send(_ signal: Int32) {
        running.withLock { process in
            guard let process else { return }
            kill(process.processIdentifier, signal)
        }
    }

    /// Waits until the process ends and returns its exit status, or minus the number of its fatal signal.
    func waitForEnd() -> Int32? {
        guard let process = running.withLock({ $0.take() }) else { return nil }
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    func crash() {
        send(SIGKILL)
        _ = waitForEnd()
    }

    /// Returns the peak memory of the server so far, in bytes (proc_pid_status(5), VmHWM).
    func peakMemory() throws -> Int {
        guard let process = running.withLock({ $0?.processIdentifier }) else { throw EndToEndError("no server runs") }
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        guard let found = status.firstMatch(of: /VmHWM:\s+(\d+) kB/), let peak = Int(found.1) else {
            throw EndToEndError("the server's memory is not known")
        }
        return peak << 10
    }

    /// Starts an administration command of the server.
    func begin(_ arguments: [String], output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments + ["--data", data]
        process.standardOutput = output
        try process.run()
        return process
    }

    /// Runs an administration command of the server and returns its output.
    func command(_ arguments: [String]) throws -> String {
        let output = Pipe()
        let process = try begin(arguments, output: output)
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw EndToEndError("\(arguments) failed: \(text)") }
        return text
    }

    /// Returns a sign-in code for an additional device.
    func code(of account: String = "anna", _ options: [String] = []) throws -> String {
        let text = try command(["account", "code", account] + options)
        guard let match = text.firstMatch(of: /([0-9A-Z]{4}-){3}[0-9A-Z]{4}/) else {
            throw EndToEndError("no code: \(text)")
        }
        return String(match.0)
    }

    func close() {
        crash()
        // A failure does not matter, because the data is in a temporary directory.
        try? FileManager.default.removeItem(atPath: data)
    }
}
