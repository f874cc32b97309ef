import NIOCore
import Synchronization

/// Closes a connection whose other end takes nothing any more: what waits for it has a place in memory.
final class StallWatch: Sendable {
    /// Answers go in pieces of so many bytes, each a sign of progress.
    static let pieceLength = 128 << 10
    private static let patience = Duration.seconds(60)
    private let channel: any Channel
    private let pieces = Atomic<Int>(0)
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ channel: any Channel) {
        self.channel = channel
        let watch = Task { [weak self] in
            var last = -1
            while let self {
                let now = pieces.load(ordering: .relaxed)
                guard now != last else { return channel.close(promise: nil) }
                last = now
                // Cut short by the end of the answer.
                do { try await Task.sleep(for: Self.patience) } catch { return }
            }
        }
        task.withLock { $0 = watch }
    }

    /// To be called after each piece. A write returns before the connection's own thread has it, so without waiting for that any number
    /// would be written to who takes nothing; with it the next write waits until there is room.
    func wrote() async throws {
        pieces.add(1, ordering: .relaxed)
        try await channel.eventLoop.submit {}.get()
    }

    func end() { task.withLock { $0 }?.cancel() }
}
