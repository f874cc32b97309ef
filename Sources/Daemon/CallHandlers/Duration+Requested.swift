import DaemonProtocol

extension Duration {
    /// Converts a client's timeout, which may be any number that JSON can hold.
    ///
    /// - Throws: `invalidRequest` for a number that is negative or too large.
    init(requestedSeconds seconds: Double) throws(DaemonFailure) {
        guard seconds >= 0, seconds < 1e9 else {
            throw DaemonFailure(.invalidRequest, "the timeout is a number of seconds below 1,000,000,000")
        }
        self = .seconds(seconds)
    }
}
