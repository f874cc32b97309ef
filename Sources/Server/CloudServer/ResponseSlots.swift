import Synchronization

/// Bounds how many responses of one kind are under way at once, in total and per address.
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
        let link: Int64
        /// Nil for all addresses together.
        let address: String?
    }

    /// The most responses of one link at once, beyond which the link is busy for everyone; the bound of one address is lower.
    private let perLink: Int
    private let perAddress: Int
    private let used = Mutex<[Key: Int]>([:])

    init(perLink: Int = 64, perAddress: Int = 8) {
        self.perLink = perLink
        self.perAddress = perAddress
    }

    /// Acquires a slot, or returns nil if too many responses are under way.
    func take(link: Int64, address: String) -> Slot? {
        let (all, own) = (Key(link: link, address: nil), Key(link: link, address: address))
        let isFree = used.withLock { used in
            guard used[all] ?? 0 < perLink, used[own] ?? 0 < perAddress else { return false }
            for key in [all, own] { used[key, default: 0] += 1 }
            return true
        }
        return isFree ? Slot(self, [all, own]) : nil
    }

    private func release(_ keys: [Key]) {
        used.withLock { used in
            for key in keys { used[key] = (used[key] ?? 1) > 1 ? (used[key] ?? 1) - 1 : nil }
        }
    }
}
