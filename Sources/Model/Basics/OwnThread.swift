package import Glibc

/// Threads for what blocks, which must not happen on Swift's cooperative pool.
package enum OwnThread {
    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            nameThread()
            body()
        }

        /// proc_pid_comm(5): a thread may write its own name; a name is a help for people, so a failure changes nothing.
        private func nameThread() {
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            _ = write(file, name, min(name.utf8.count, 15))
            close(file)
        }
    }

    /// Starts a thread that the caller has to join. The first 15 bytes of `name` show in `top -H`.
    ///
    /// - Throws: The error of `pthread_create(3)`.
    package static func start(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(Errno) -> pthread_t {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(name, body))
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw Errno(code, "pthread_create")
        }
        return thread
    }

    /// Starts a thread that is not joined.
    package static func detach(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        pthread_detach(try start(name, body))
    }
}
