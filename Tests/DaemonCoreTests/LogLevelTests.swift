import DaemonCore
import DaemonProtocol
import FoundationEssentials
import LocalMetadata
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("The levels of a process's log")
struct LogLevelTests {
    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        init(_ lines: Lines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add("\(event.message)") }
    }

    private final class Lines: Sendable {
        private let state = Mutex<[String]>([])
        var all: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    private func logger(_ control: LogControl) -> (Lines, Logger) {
        let lines = Lines()
        return (lines, Logger(label: "test") { _ in control.handler(Handler(lines)) })
    }

    @Test("a new level is in effect immediately, for loggers that exist already and for their copies")
    func change() {
        let control = LogControl()
        let (lines, logger) = logger(control)
        var copy = logger
        copy[metadataKey: "device"] = "a"
        logger.debug("one")
        control.levels = LogLevels(.debug)
        logger.debug("two")
        copy.debug("three")
        control.levels = LogLevels(.error)
        copy.info("four")
        #expect(lines.all == ["two", "three"])
    }

    @Test("an area has a level of its own, for loggers that exist already")
    func areas() {
        let control = LogControl()
        let (lines, logger) = logger(control)
        let (sync, cloud) = (logger.area(.sync), logger.area(.cloud))
        control.levels = LogLevels(.info, areas: [.sync: .debug, .cloud: .error])
        logger.debug("one")
        sync.debug("two")
        cloud.warning("three")
        control.levels = LogLevels(.info)
        sync.debug("four")
        cloud.info("five")
        #expect(lines.all == ["two", "five"])
    }

    @Test("levels of a command line are kept for later starts; those of the environment are not, and win")
    func kept() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "levels-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let metadata = try MetadataDatabase(
            path: "\(folder)/metadata.sqlite", log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try LogControl().follow(LogLevels(.info, areas: [.sync: .debug]), keptIn: metadata)
        let later = LogControl(environment: nil)
        try later.follow(nil, keptIn: metadata)
        #expect(later.levels.description == "info,sync=debug")
        let fixed = LogControl(environment: "error")
        try fixed.follow(nil, keptIn: metadata)
        #expect(fixed.levels == LogLevels(.error))
        #expect(LogControl(environment: "loud").levels == LogLevels())
        try metadata.closeWhole(toleratingReaders: false)
    }

    @Test(
        "a text of levels is parsed as it is written",
        arguments: [
            ("debug", "debug"), ("trace,sync=info", "trace,sync=info"), ("sync=debug", "info,sync=debug"),
            ("sync=debug,info", "info"), ("sync=info", "info"),
            ("error,cloud=trace,files=debug", "error,files=debug,cloud=trace"),
        ])
    func texts(text: String, canonical: String) {
        #expect(LogLevels(text)?.description == canonical)
        #expect(LogLevels(canonical)?.description == canonical)
    }
}
