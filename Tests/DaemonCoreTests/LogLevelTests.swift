import DaemonCore
import Logging
import Synchronization
import Testing

@Suite("The log level of a process")
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

    @Test("a new level is in effect at once, for loggers that exist already and for their copies")
    func change() {
        let (lines, level) = (Lines(), LogLevel(.info))
        let logger = Logger(label: "test") { _ in level.handler(Handler(lines)) }
        var copy = logger
        copy[metadataKey: "device"] = "a"
        logger.debug("one")
        level.value = .debug
        logger.debug("two")
        copy.debug("three")
        level.value = .error
        copy.info("four")
        #expect(lines.all == ["two", "three"])
    }
}
