/// The sender of a request: a connection to the daemon, and the program at its far end.
package protocol ClaimClient: Sendable {
    /// The connection's number, unique within a daemon.
    var connection: UInt64 { get }
    /// The request's number, chosen by the client.
    var request: UInt64 { get }
    var processID: Int32 { get }
    /// The program's name, as given by itself.
    var program: String { get }
}
