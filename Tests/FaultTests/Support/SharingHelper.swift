import DaemonProtocol
import Faults
import Foundation
import Glibc
import TestSupport

/// A running `ubiquityd databases`; the test speaks to it as the daemon does.
final class SharingHelper {
    private static let patience: Duration = .seconds(60)

    let supervisor: CallSupervisor?
    private let process = Process()
    private let socket: Int32
    private var splitter = FrameSplitter()
    private var lastID: UInt64 = 0

    /// - Parameters:
    ///   - arguments: The process's arguments after `databases`.
    ///   - meeting: An unused path, to supervise the process; nil to let it run.
    init(binaries: String, _ arguments: [String], meeting: String? = nil) async throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw EndToEndError("socketpair: \(errno)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        socket = ends[0]
        let program = "\(binaries)/ubiquityd"
        var environment = ProcessInfo.processInfo.environment
        if let meeting {
            // Under the daemon's name the tool becomes the daemon's program once the supervisor is there.
            let standIn = "\(meeting)-program/ubiquityd"
            try FileManager.default.createDirectory(atPath: "\(meeting)-program", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(binaries)/fault-tool", toPath: standIn)
            process.executableURL = URL(filePath: standIn)
            environment[Launch.programVariable] = program
            environment[Launch.meetingVariable] = meeting
            environment[Launch.callsVariable] = SystemCall.allCases.map(\.rawValue).joined(separator: ",")
        } else {
            process.executableURL = URL(filePath: program)
        }
        process.environment = environment
        process.arguments = ["databases"] + arguments
        process.standardInput = FileHandle(fileDescriptor: ends[1])
        process.standardOutput = FileHandle(fileDescriptor: ends[1])
        process.standardError = FileHandle.nullDevice
        defer { close(ends[1]) }
        try process.run()
        supervisor = try await meeting.asyncMap(Self.meet)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(socket)
    }

    private static func meet(_ meeting: String) async throws -> CallSupervisor {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if let supervisor = CallSupervisor(meeting: meeting) { return supervisor }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw EndToEndError("no process came to be supervised")
    }

    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Returns nil if the process ends without a response.
    func call<Call: DaemonCall>(_ call: Call) throws -> Result<Call.Response, DaemonFailure>? {
        lastID += 1
        let frame = try ControlFrame.frame(ClientEnvelope(id: lastID, call))
        guard send(socket, frame, frame.count, Int32(MSG_NOSIGNAL)) == frame.count else { return nil }
        let deadline = ContinuousClock.now + Self.patience
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while ContinuousClock.now < deadline {
            while let payload = try splitter.next() {
                let envelope = try ControlFrame.decode(DaemonEnvelope.self, from: payload, calls: .databases)
                guard envelope.id == lastID else { continue }
                switch envelope.body {
                case .response(let response): return (response.value as? Call.Response).map { .success($0) }
                case .failure(let failure): return .failure(failure)
                case .event: continue
                }
            }
            var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 1_000) > 0 else { continue }
            let count = read(socket, &bytes, bytes.count)
            guard count > 0 else { return nil }
            splitter.append(bytes[..<count])
        }
        throw EndToEndError("no response to \(Call.verb)")
    }
}

extension Optional {
    fileprivate func asyncMap<T>(_ transform: (Wrapped) async throws -> T) async rethrows -> T? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
