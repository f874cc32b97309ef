import Basics

extension OwnThread {
    /// Runs `body` on a separate thread and waits for it without blocking a thread of the pool.
    static func run<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable () throws(FuseError) -> Value
    ) async throws(FuseError) -> Value {
        let result: Result<Value, FuseError> = await withCheckedContinuation { continuation in
            do throws(Errno) {
                try detach(name) {
                    let result: Result<Value, FuseError>
                    do throws(FuseError) { result = .success(try body()) } catch { result = .failure(error) }
                    continuation.resume(returning: result)
                }
            } catch {
                let message = "A thread could not be started (\(error)). Raise the limit of tasks."
                continuation.resume(returning: .failure(FuseError(.thread, message)))
            }
        }
        return try result.get()
    }
}
