import CCurl

/// Why a request has failed. ``ConnectionProblem`` describes it.
struct HTTPFailure: Error, CustomStringConvertible {
    enum Reason: Hashable, Sendable {
        /// The request cannot be sent as it is.
        case invalid
        /// There was no response within the caller's limit.
        case late
        /// The server sent nothing for ``Transfer/patience``.
        case silent
        /// The connections were closed.
        case closed
        /// The result of libcurl (libcurl-errors(3)).
        case library(UInt32)
    }

    let reason: Reason
    /// The system's error; 0 if none.
    var system: Int32 = 0
    /// Whether a connection existed, but no encryption yet.
    var isHandshake = false
    let text: String

    var description: String { text }
}
