import Foundation

/// Runs `body`, which may block in a mount, on a separate thread.
func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
