/// The sender of a request: a connection to the daemon, and the program at its other end.
package protocol ClaimClient: Sendable {
    /// The connection's number, unique within a daemon.
    var connection: UInt64 { get }
    /// The number that the client gave its request.
    var request: UInt64 { get }
    var processID: Int32 { get }
    /// The name that the program gives itself.
    var program: String { get }
}
