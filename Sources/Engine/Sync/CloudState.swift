/// The state of the connection to the cloud.
package enum CloudState: Sendable, Equatable {
    case connecting
    case online
    case offline(String)
    /// Waiting will not help: the message has the advice.
    case stopped(String)
}
