import Synchronization

/// Bounds how many responses of a kind are under way at once: per subject, such as a link or an account, and per
/// address.
final class ResponseSlots: Sendable {
    /// A slot, released with its last reference.
    final class Slot: Sendable {
        private let slots: ResponseSlots
        private let keys: [Key]

        fileprivate init(_ slots: ResponseSlots, _ keys: [Key]) {
            self.slots = slots
            self.keys = keys
        }

        deinit { slots.release(keys) }
    }

    fileprivate struct Key: Hashable {
        let subject: Int64
        /// Nil for all addresses together.
        let address: String?
    }

    /// The most simultaneous responses for a subject; beyond it the subject is busy for everyone. The bound per address
    /// is lower.
    private let limit: Int
    private let perAddress: Int
    private let used = Mutex<[Key: Int]>([:])

    init(limit: Int = 64, perAddress: Int = 8) {
        self.limit = limit
        self.perAddress = perAddress
    }

    /// Acquires a slot, or returns nil if too many responses are under way.
    func take(_ subject: Int64, address: String? = nil) -> Slot? {
        let all = Key(subject: subject, address: nil)
        let own = address.map { Key(subject: subject, address: $0) }
        let keys = [all] + (own.map { [$0] } ?? [])
        let isFree = used.withLock { used in
            guard used[all] ?? 0 < limit, own.flatMap({ used[$0] }) ?? 0 < perAddress else { return false }
            for key in keys { used[key, default: 0] += 1 }
            return true
        }
        return isFree ? Slot(self, keys) : nil
    }

    private func release(_ keys: [Key]) {
        used.withLock { used in
            for key in keys { used[key] = (used[key] ?? 1) > 1 ? (used[key] ?? 1) - 1 : nil }
        }
    }
}
