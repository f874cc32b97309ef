import NIOCore

/// The sending side of a connection, shared by the tasks of its requests.
struct Connection: Sendable {
    let channel: any Channel
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// Closes the connection if `body` fails; that ends the loop reading from it, and thereby the session.
    func whileItLasts(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            channel.close(promise: nil)
        }
    }
}
