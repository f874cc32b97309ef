import Basics
import CLinux
import Glibc

/// A thread outside of Swift's pool, for calls that block.
enum OwnThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a detached thread; `name` shows in `ps -T`, its first 15 bytes.
    static func start(_ name: String, _ run: @escaping @Sendable () -> Void) throws(Errno) {
        let body = Unmanaged.passRetained(Body(name: name, run: run))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                pthread_setname_np(pthread_self(), String(body.name.prefix(15)))
                body.run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw Errno(code, "pthread_create")
        }
        pthread_detach(thread)
    }
}
