import Basics
import CFuse3
import Dispatch
import Glibc
import Logging
import Synchronization

/// The queues of a mount, one per possible processor of the machine, and their threads.
final class RingTransport: Sendable {
    private let queues: [RingQueue]
    private let helpers: RingHelpers
    private let threads: [ServingThread]
    /// Each queue's thread waits here for the reply to FUSE_INIT, because the kernel registers nothing before it.
    private let gate = DispatchSemaphore(value: 0)
    private let isAgreed = Atomic(false)
    private let refusal = Mutex<Errno?>(nil)

    /// Creates the queues, before the kernel is promised that they exist: after FUSE_INIT it holds all requests until
    /// they are registered.
    init(device: Int32, options: FuseOptions) throws(Errno) {
        let count = try PossibleProcessors.count()
        guard count <= Self.most else { throw Errno(E2BIG, "make a queue for each of \(count) processors") }
        let counts = RingCounts(total: options.ringEntries, queues: count)
        var queues: [RingQueue] = []
        for number in 0..<count { queues.append(try RingQueue(number, device: device, counts: counts)) }
        self.queues = queues
        helpers = RingHelpers(count: max(2, options.readerCount))
        threads = (0..<count + helpers.count).map { _ in ServingThread() }
    }

    /// On machines with more processors, a thread for each would cost more than it brings.
    private static let most = 256

    /// The mount's current transport.
    var transport: FuseTransport {
        if let refusal = refusal.withLock({ $0 }) { return .device(.refused("\(refusal)")) }
        return .rings(queues: queues.count)
    }

    /// Starts the threads, to wait for ``begin()``. `close` is called when any of them finds that the mount has ended.
    func start(_ connection: FuseConnection, close: @escaping @Sendable () -> Void) throws(Errno) {
        do throws(Errno) {
            for (queue, thread) in zip(queues, threads) {
                try thread.start("fuse-ring-\(queue.number)") { [self] in
                    gate.wait()
                    guard isAgreed.load(ordering: .acquiring) else { return }
                    serve(queue, connection, close)
                }
            }
            for thread in threads.dropFirst(queues.count) {
                try thread.start("fuse-helper") { [helpers] in helpers.serve(connection) }
            }
        } catch {
            for thread in threads { thread.abandon() }
            end()
            throw error
        }
    }

    private func serve(_ queue: RingQueue, _ connection: FuseConnection, _ close: @Sendable () -> Void) {
        switch queue.serve(connection, helpers: helpers) {
        case .mount: close()
        case .failure(let error):
            connection.lifecycle.noteFailure(error)
            close()
        case .refusal(let error):
            refusal.withLock { $0 = $0 ?? error }
            connection.logger.warning(
                "The kernel refused io_uring for the mount, which reads /dev/fuse instead.",
                metadata: ["error": "\(error)"])
        }
    }

    /// Registers the queues. To be called after the reply to FUSE_INIT.
    func begin() {
        isAgreed.store(true, ordering: .releasing)
        openGate()
    }

    private func openGate() { for _ in queues { gate.signal() } }

    /// Ends the threads and waits for them. The session must be closing.
    func end() {
        openGate()
        for thread in threads.prefix(queues.count) { thread.waitUntilEnded() }
        helpers.end()
        for thread in threads.dropFirst(queues.count) { thread.waitUntilEnded() }
        // An io_uring keeps /dev/fuse open.
        for queue in queues { queue.closeRing() }
    }
}
