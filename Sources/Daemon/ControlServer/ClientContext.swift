/// A request's client and number.
package struct ClientContext: Hashable, Sendable {
    /// The number of the connection, unique in this daemon.
    package let connection: UInt64
    /// The request's number, chosen by the client.
    package let request: UInt64
    package let processID: Int32
    package let userID: UInt32
    /// The client's name, from its ``HelloRequest``.
    package let program: String

    package init(connection: UInt64, request: UInt64, processID: Int32, userID: UInt32, program: String) {
        self.connection = connection
        self.request = request
        self.processID = processID
        self.userID = userID
        self.program = program
    }
}
