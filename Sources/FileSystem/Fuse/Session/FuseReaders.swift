import Basics
import Dispatch
import Logging

/// The threads reading requests, and the thread waiting for their end.
enum FuseReaders {
    /// Starts the readers. They end with the mount, or when the returned `stop` is called; either way the connection is
    /// then severed and marked as ended.
    static func start(_ connection: FuseConnection) throws(FuseError) -> @Sendable () -> Void {
        WakeSignal.install()
        let threads = (0..<max(1, connection.options.readerCount)).map { _ in ServingThread() }
        let closing = DispatchSemaphore(value: 0)
        let close: @Sendable () -> Void = { if connection.lifecycle.beginClosing() { closing.signal() } }
        do {
            // Before all others: at the end of the mount the system may refuse a thread.
            try OwnThread.detach("fuse-end") {
                closing.wait()
                finish(connection, threads)
            }
        } catch {
            abandon(threads, of: connection)
            finish(connection, threads)
            throw failure(error)
        }
        do {
            for (index, thread) in threads.enumerated() {
                let device = connection.device(ofReader: index)
                try thread.start("fuse-\(index)") {
                    FuseReader(connection: connection, device: device).run(close)
                    close()
                }
            }
        } catch {
            abandon(threads, of: connection)
            close()
            throw failure(error)
        }
        return close
    }

    private static func abandon(_ threads: [ServingThread], of connection: FuseConnection) {
        connection.lifecycle.requestStop()
        for thread in threads { thread.abandon() }
    }

    private static func failure(_ error: Errno) -> FuseError {
        FuseError(.thread, "A thread for the mount could not be started (\(error)). Raise the limit of tasks.")
    }

    /// Waits until every serving thread has ended, waking those still waiting for a request.
    private static func finish(_ connection: FuseConnection, _ threads: [ServingThread]) {
        for thread in threads { thread.waitUntilEnded() }
        connection.rings?.end()
        connection.sever()
        connection.lifecycle.markEnded()
    }
}
