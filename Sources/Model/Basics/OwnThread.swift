package import Glibc

/// Starts threads for blocking work, which must not run on Swift's cooperative pool.
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

        /// Names the thread; proc_pid_comm(5) allows a thread to write its own name. Names only help people, so a failure is ignored.
        private func nameThread() {
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            _ = write(file, name, min(name.utf8.count, 15))
            close(file)
        }
    }

    /// Starts a thread for the caller to join. The first 15 bytes of `name` show in `top -H`.
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

    /// Starts a detached thread.
    package static func detach(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        pthread_detach(try start(name, body))
    }
}
