import CallHandlers
import DaemonProtocol
import FoundationEssentials
import Logging
import Testing

@testable import DaemonCore

@Suite("The handlers of a daemon")
struct DaemonServiceTests {
    /// Returns the verbs of all calls, as declared in the source files.
    private static func verbs() throws -> Set<String> {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let folder = root.appending(path: "Sources/Protocols/DaemonProtocol").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        let verbs = try names.flatMap { name in
            try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                .matches(of: /static let verb = "(\w+)"/).map { String($0.1) }
        }
        #expect(verbs.count == Set(verbs).count, "two calls have the same verb")
        return Set(verbs)
    }

    @Test("every call of the protocol has a handler, except those that the server handles itself")
    func complete() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: "\(directory)/state", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let configuration = DaemonConfiguration(
            mountPoint: "\(directory)/mount", cloud: .directory(path: "\(directory)/cloud"), deviceName: "test",
            stateDirectory: "\(directory)/state", isForeground: true)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let device = try Device(configuration, logger: logger)
        let service = RunningDaemon(
            device, configuration, rebuild: nil, logger: logger, log: LogControl()
        ).makeService()
        #expect(service.calls.verbs.union(["hello", "unfollow"]) == (try Self.verbs()))
        try device.close()
    }
}
