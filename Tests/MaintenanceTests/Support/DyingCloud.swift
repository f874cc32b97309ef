import CloudStorage
import Synchronization

/// A cloud whose device dies at a given call: that call and all later calls fail.
final class DyingCloud: CloudDecorator {
    struct Death: Error {}

    let base: any CloudBackend
    /// How many calls are left; nil for any number.
    private let left = Mutex<Int?>(nil)
    /// Whether the last call still takes effect in the cloud, although its result is lost.
    private let isLate: Bool

    init(_ cloud: any ChunkCollecting, isLate: Bool = false) {
        base = cloud
        self.isLate = isLate
    }

    /// Lets the device die at this call from now on.
    func die(at call: Int) { left.withLock { $0 = call } }

    func perform<T: Sendable>(
        _ name: String, _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let rest = left.withLock { left in
            left = left.map { max(-1, $0 - 1) }
            return left
        }
        guard let rest, rest <= 0 else { return try await operation() }
        if rest == 0, isLate { _ = try await operation() }
        throw Death()
    }
}
