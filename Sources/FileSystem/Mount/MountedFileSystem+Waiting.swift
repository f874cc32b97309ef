import Fuse
import Glibc
import VirtualFileSystem

/// Requests waiting for missing bytes: the thread serves further requests, and the reply is sent once the bytes have
/// arrived.
extension MountedFileSystem {
    /// Fetches all of a placeholder before it is changed.
    func whenWhole<Reply, Value: Sendable>(
        _ handle: OpenHandle, _ request: consuming FuseRequest<Reply>,
        _ change: @escaping @Sendable (VirtualFileSystem) throws -> Value,
        reply: @escaping @Sendable (consuming FuseRequest<Reply>, Value) -> Void
    ) {
        let later = request.deferred()
        let task = Task { [self] in
            let result: Result<Value, any Error>
            do {
                try await files.makingRoomLater { try await files.waitUntilWhole(handle) }
                result = .success(try files.makingRoom { try change(files) })
            } catch { result = .failure(error) }
            guard let request = later.take() else { return }
            switch result {
            case .success(let value): reply(request, value)
            case .failure(let error): request.fail(code(error))
            }
        }
        later.onInterrupt {
            // Ends only this wait; the fetch continues for other readers.
            task.cancel()
            later.take()?.fail(EINTR)
        }
    }
}
