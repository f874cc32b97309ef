import DaemonProtocol

extension Duration {
    /// Converts a client's timeout, which may be any JSON number.
    ///
    /// - Throws: `invalidRequest` for a negative or too large number.
    init(requestedSeconds seconds: Double) throws(DaemonFailure) {
        guard seconds >= 0, seconds < 1e9 else {
            throw DaemonFailure(.invalidRequest, "the timeout is a number of seconds below 1,000,000,000")
        }
        self = .seconds(seconds)
    }
}
