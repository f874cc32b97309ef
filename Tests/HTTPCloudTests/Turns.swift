import Synchronization

/// A counter that starts at 0.
final class Turns: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
