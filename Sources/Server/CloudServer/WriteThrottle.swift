import NIOCore

/// Paces the writing of a response to its reader's speed. ``ConnectionGuard`` handles stalled readers.
struct WriteThrottle: Sendable {
    /// Responses are sent in pieces of this many bytes; each is a sign of progress.
    static let pieceLength = 128 << 10
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// Waits until the connection can take more; call it after each piece. A write returns before the connection's
    /// event loop has the piece, so without this wait an unbounded number of pieces would be queued for a stalled
    /// client.
    func wrote() async throws { try await channel.eventLoop.submit {}.get() }
}
