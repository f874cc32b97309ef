/// What the cloud is to this device now.
package enum CloudState: Sendable, Equatable {
    case connecting
    case online
    case offline(String)
    /// Nothing will change by waiting: the message says what to do.
    case stopped(String)
}
