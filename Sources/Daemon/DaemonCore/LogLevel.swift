package import Logging
import Synchronization

/// What a process logs; any thread may change it.
package final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    package init(_ level: Logger.Level) { self.level = Mutex(level) }

    package var value: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }

    /// Returns a handler that passes events of this level and above to `base`. It ignores levels that are set for one logger.
    package func handler(_ base: any LogHandler) -> any LogHandler { LeveledLogHandler(base: base, level: self) }
}

private struct LeveledLogHandler: LogHandler {
    var base: any LogHandler
    let level: LogLevel

    init(base: any LogHandler, level: LogLevel) {
        self.base = base
        self.level = level
        self.base.logLevel = .trace
    }

    var logLevel: Logger.Level {
        get { level.value }
        set {}
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { base.log(event: event) }
}
