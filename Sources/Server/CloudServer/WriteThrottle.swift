import NIOCore

/// Paces the writing of an answer to what its reader takes. A reader that takes nothing is noticed by ``ConnectionGuard``.
struct WriteThrottle: Sendable {
    /// Responses go in pieces of so many bytes, each a sign of progress.
    static let pieceLength = 128 << 10
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// To be called after each piece. A write returns before the connection's own thread has it, so without waiting for that any number
    /// would be written to who takes nothing; with it the next write waits until there is room.
    func wrote() async throws { try await channel.eventLoop.submit {}.get() }
}
