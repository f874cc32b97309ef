import Basics
import Logging

/// The threads reading requests, and the thread waiting for their end.
enum FuseReaders {
    /// Starts the readers. They end with the mount, or when the returned `stop` is called; either way the connection is
    /// then severed and marked as ended.
    static func start(_ connection: FuseConnection) throws(FuseError) -> @Sendable () -> Void {
        WakeSignal.install()
        let threads = (0..<max(1, connection.options.readerCount)).map { _ in ServingThread() }
        let close: @Sendable () -> Void = { beginClosing(connection, threads) }
        do {
            for (index, thread) in threads.enumerated() {
                let device = connection.device(ofReader: index)
                try thread.start("fuse-\(index)") {
                    FuseReader(connection: connection, device: device).run(close)
                    close()
                }
            }
        } catch {
            connection.lifecycle.requestStop()
            for thread in threads { thread.abandon() }
            close()
            throw FuseError(
                .thread, "A thread for the mount could not be started (\(error)). Raise the limit of tasks.")
        }
        return close
    }

    private static func beginClosing(_ connection: FuseConnection, _ threads: [ServingThread]) {
        guard connection.lifecycle.beginClosing() else { return }
        do throws(Errno) {
            try OwnThread.detach("fuse-end") { finish(connection, threads) }
        } catch {
            connection.logger.error(
                "The mount's end could not be completed: no thread could be started.", metadata: ["error": "\(error)"])
        }
    }

    /// Waits until every serving thread has ended, waking those still waiting for a request.
    private static func finish(_ connection: FuseConnection, _ threads: [ServingThread]) {
        for thread in threads { thread.waitUntilEnded() }
        connection.rings?.end()
        connection.sever()
        connection.lifecycle.markEnded()
    }
}
