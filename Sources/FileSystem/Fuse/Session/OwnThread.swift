import Basics
import CFuse3
import Glibc

/// Threads for what blocks, which must not happen on Swift's cooperative pool.
enum OwnThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that someone joins. `name` of at most 15 bytes shows in `top -H`.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) -> pthread_t {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(
            Work {
                cfuse_name_thread(name)
                body()
            })
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw Errno(code, "pthread_create")
        }
        return thread
    }

    /// Starts a thread that nobody waits for.
    static func detach(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        pthread_detach(try start(name, body))
    }

    /// Runs `body` on a thread of its own and waits for it without holding up a thread of the pool.
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
