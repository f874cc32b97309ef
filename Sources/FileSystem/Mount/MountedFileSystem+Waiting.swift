import Fuse
import Glibc
import VirtualFileSystem

/// Requests that wait for bytes which are elsewhere: the thread goes on with others, the answer comes with the bytes.
extension MountedFileSystem {
    /// A placeholder is to be changed: all of it has to be here first.
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
            // Ends this wait only; the fetch goes on while other readers wait for it.
            task.cancel()
            later.take()?.fail(EINTR)
        }
    }
}
