import Dispatch
import Synchronization

/// The threads handling requests that may wait for the disk.
final class RingHelpers: Sendable {
    private struct State {
        /// At most as many as there are entries.
        var waiting: [RingEntry] = []
        var isEnding = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    let count: Int

    init(count: Int) { self.count = count }

    func add(_ entry: RingEntry) {
        state.withLock { $0.waiting.append(entry) }
        arrivals.signal()
    }

    /// Handles requests until ``end()`` was called and none are left.
    func serve(_ connection: FuseConnection) {
        FuseReader(connection: connection, queue: nil).serve { reader, note in
            arrivals.wait()
            let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
            guard let entry = next else { return false }
            reader.handle(entry, note)
            return true
        }
    }

    /// Lets each thread end after the previously added requests.
    func end() {
        let isFirst = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
        guard isFirst else { return }
        for _ in 0..<count { arrivals.signal() }
    }
}
