package import DaemonProtocol
import Foundation
package import LocalMetadata
package import Logging
import Synchronization

/// A process's log levels, by area; any thread may change them.
package final class LogControl: Sendable {
    /// An area's level, read by a logger for each line without a lock.
    fileprivate final class Cell: Sendable {
        let level: Atomic<Int>

        init(_ level: LogLevels.Level) { self.level = Atomic(level.order) }
    }

    private let state: Mutex<LogLevels>
    /// Whether the environment decides; no change is kept against it.
    private let isFixed: Bool
    private let file = Mutex<LogFile?>(nil)
    private let base: Cell
    private let cells: [LogArea: Cell]

    package init(_ levels: LogLevels = LogLevels(), isFixed: Bool = false) {
        self.isFixed = isFixed
        state = Mutex(levels)
        base = Cell(levels.base)
        cells = Dictionary(uniqueKeysWithValues: LogArea.allCases.map { ($0, Cell(levels.level(of: $0))) })
    }

    /// - Parameter environment: The value of `UBIQUITY_LOG`; an invalid value counts as none.
    package convenience init(environment: String?) {
        let levels = environment.flatMap { LogLevels($0) }
        self.init(levels ?? LogLevels(), isFixed: levels != nil)
    }

    package var levels: LogLevels {
        get { state.withLock { $0 } }
        set {
            state.withLock { levels in
                levels = newValue
                base.level.store(newValue.base.order, ordering: .relaxed)
                for (area, cell) in cells { cell.level.store(newValue.level(of: area).order, ordering: .relaxed) }
            }
        }
    }

    // MARK: Kept levels

    private static let key = "logLevels"

    /// Stores levels for later starts.
    package static func keep(_ levels: LogLevels, in metadata: MetadataDatabase) throws {
        try metadata.write(.freeing) { try $0.setSetting(key, Data(levels.description.utf8)) }
    }

    /// Sets a start's levels: those of its command line, to be stored for later starts; those of the environment; or
    /// the stored levels.
    package func follow(_ given: LogLevels?, keptIn metadata: MetadataDatabase) throws {
        if let given {
            try Self.keep(given, in: metadata)
            levels = given
        } else if !isFixed, let kept = try metadata.read({ try $0.setting(Self.key) }),
            let kept = LogLevels(String(decoding: kept, as: UTF8.self))
        {
            levels = kept
        }
    }

    /// The arguments for the same levels in a daemon replacing this one.
    package var arguments: [String] { isFixed ? [] : ["--log-level", levels.description] }

    // MARK: Lines

    /// Keeps the log's file short from now on.
    package func bound(_ file: LogFile) {
        file.rotateIfLong()
        self.file.withLock { $0 = file }
    }

    fileprivate func noteLine() { file.withLock { $0 }?.noteLine() }

    /// Returns a handler passing lines of the area's level and above to `base`. It ignores the levels of individual
    /// loggers.
    package func handler(_ base: any LogHandler) -> any LogHandler { AreaLogHandler(base: base, control: self) }

    fileprivate func cell(of area: String?) -> Cell { area.flatMap(LogArea.init).flatMap { cells[$0] } ?? base }
}

extension Logger {
    private static let areaKey = "area"

    /// Returns a logger for an area.
    package func area(_ area: LogArea) -> Logger {
        var logger = self
        logger[metadataKey: Self.areaKey] = .string(area.rawValue)
        return logger
    }

    fileprivate static func isArea(_ key: String) -> Bool { key == areaKey }
}

private struct AreaLogHandler: LogHandler {
    var base: any LogHandler
    let control: LogControl
    private var cell: LogControl.Cell

    init(base: any LogHandler, control: LogControl) {
        self.base = base
        self.control = control
        cell = control.cell(of: nil)
        self.base.logLevel = .trace
    }

    var logLevel: Logger.Level {
        get { Logger.Level.allCases[cell.level.load(ordering: .relaxed)] }
        set {}
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set {
            base[metadataKey: key] = newValue
            if Logger.isArea(key) { cell = control.cell(of: newValue.map { "\($0)" }) }
        }
    }

    func log(event: LogEvent) {
        base.log(event: event)
        control.noteLine()
    }
}

extension LogLevels.Level {
    /// The level's position in swift-log's order.
    fileprivate var order: Int {
        Logger.Level(rawValue: rawValue).flatMap { Logger.Level.allCases.firstIndex(of: $0) } ?? 0
    }
}
