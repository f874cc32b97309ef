import Synchronization

/// Is over once it was asked a number of times.
final class Countdown: Sendable {
    private let rest: Mutex<Int>

    init(_ count: Int) { rest = Mutex(count) }

    func isOver() -> Bool {
        rest.withLock { rest in
            defer { rest -= 1 }
            return rest <= 0
        }
    }
}
