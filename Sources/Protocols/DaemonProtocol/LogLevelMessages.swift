/// Reads or changes the daemon's log levels. A change is kept over restarts.
package struct LogLevelRequest: DaemonCall {
    package typealias Response = LogLevelResponse
    package static let verb = "logLevel"

    /// Described in ``LogLevels``; nil only reads the levels.
    package let level: String?
    package init(level: String?) { self.level = level }
}

package struct LogLevelResponse: CallResponse {
    package static let kind = "logLevel"

    /// The levels from now on, as ``LogLevels`` describes them.
    package let level: String
    package init(level: String) { self.level = level }
}
