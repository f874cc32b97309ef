import NIOCore
import Synchronization

/// Closes a connection whose other end takes nothing any more: what waits for it has a place in memory.
final class StallWatch: Sendable {
    /// Answers go in pieces of so many bytes, each a sign of progress.
    static let pieceLength = 128 << 10
    private static let patience = Duration.seconds(60)
    private let pieces = Atomic<Int>(0)
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ channel: any Channel) {
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

    func progress() { pieces.add(1, ordering: .relaxed) }

    func end() { task.withLock { $0 }?.cancel() }
}
