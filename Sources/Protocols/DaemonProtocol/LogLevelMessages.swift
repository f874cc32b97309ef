/// Reads or changes what the daemon logs, until it ends.
package struct LogLevelRequest: DaemonCall {
    package typealias Response = LogLevelResponse
    package static let verb = "logLevel"

    /// One of ``LogLevelResponse/names``; nil only reads the level.
    package let level: String?
    package init(level: String?) { self.level = level }
}

package struct LogLevelResponse: CallResponse {
    package static let kind = "logLevel"

    /// The levels of swift-log, the most detailed first.
    package static let names = ["trace", "debug", "info", "notice", "warning", "error"]

    /// The level from now on.
    package let level: String
    package init(level: String) { self.level = level }
}
