import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync

/// What one monitor has not read yet. Bounded.
struct MonitorQueue: Sendable {
    static let limit = 1_000

    let bell: Wakeup
    private var waiting: [Happening] = []
    private var first = 0
    private var missed: UInt64 = 0

    init(bell: Wakeup) { self.bell = bell }

    mutating func put(_ happening: Happening) {
        if waiting.count - first >= Self.limit {
            first += 1
            missed += 1
        }
        if first > Self.limit {
            waiting.removeFirst(first)
            first = 0
        }
        waiting.append(happening)
        bell.ring()
    }

    mutating func take() -> Happening? {
        guard first < waiting.count else { return nil }
        if missed > 0 {
            var happening = Happening(.missed, waiting[first].time)
            happening.count = missed
            missed = 0
            return happening
        }
        defer {
            first += 1
            if first == waiting.count { (waiting, first) = ([], 0) }
        }
        return waiting[first]
    }
}

/// What is sent to one monitor, one by one, as fast as it reads.
final class MonitorFeed: Sendable {
    private let service: QueryService
    private let client: ClientContext
    private let clock: any Clock<Duration>
    private let bell = Wakeup()
    private let id: UInt64

    /// The service has made room for the client. `last` is the highest number that an item has.
    init(_ service: QueryService, _ client: ClientContext, after last: NodeID, _ clock: any Clock<Duration>) {
        self.service = service
        self.client = client
        self.clock = clock
        id = service.monitors.add(bell, after: last)
        service.activate()
    }

    deinit {
        service.monitors.remove(id)
        service.leave(client)
        service.activate()
    }

    /// Nil when the task was cancelled.
    func next() async -> DaemonEvent? {
        while !Task.isCancelled {
            if let happening = service.monitors.take(id) { return .happened(happening) }
            await bell.wait(atMost: .seconds(60), clock: clock)
        }
        return nil
    }
}
