import ArgumentParser
import DaemonCore
import DaemonProtocol
import FoundationEssentials
import Glibc
import Logging

/// `ubiquityd copy-cloud`, for `ubiquity cloud copy` and the copy of `cloud move`: this program can use clouds of all
/// kinds. Prints one ``CloudCopyMessage`` per line. Ctrl-C ends it at any point; the next copy continues there.
struct CopyCloudProgram: AsyncParsableCommand {
    static let name = "copy-cloud"

    static func isMeant(by arguments: [String]) -> Bool { arguments.first == name }

    /// The shortest time between two messages about progress.
    private static let interval: Duration = .milliseconds(200)

    @Argument var action: String
    @Argument var source: String
    @Argument var target: String
    @Flag var move = false

    func run() async throws {
        let logger = Logger(label: "ubiquityd") { _ in SwiftLogNoOpLogHandler() }
        var next = ContinuousClock.now
        let message: CloudCopyMessage
        do throws(DaemonFailure) {
            let result = try await CloudCopying.copy(
                from: source, to: target, isMove: move, currentDirectory: currentDirectory(), logger: logger
            ) { state in
                guard ContinuousClock.now >= next else { return }
                next = ContinuousClock.now + Self.interval
                Self.emit(CloudCopyMessage(progress: state))
            }
            message = CloudCopyMessage(result: result)
        } catch { message = CloudCopyMessage(failure: error) }
        guard Self.emit(message) else { throw ExitCode.failure }
    }

    /// - Returns: Whether the whole line was written.
    @discardableResult private static func emit(_ message: CloudCopyMessage) -> Bool {
        guard let text = try? ControlFrame.payload(message) + [UInt8(ascii: "\n")] else { return false }
        return text.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) } == text.count
    }
}
