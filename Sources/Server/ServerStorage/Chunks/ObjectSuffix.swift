import Basics

/// The end of a name in a bucket. No two puts use the same name, so a delayed or repeated request affects only its own
/// object.
struct ObjectSuffix: Hashable, Sendable {
    /// The epoch in which the put began; see ``ChunkBucket``.
    let epoch: Int64
    let random: UInt64

    init(epoch: Int64, random: UInt64) {
        self.epoch = max(0, epoch)
        self.random = random
    }

    /// Parses the form of ``text``; nil for any other form.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = Int64(parts[0]), epoch >= 0, parts[1].utf8.count == 16,
            let random = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(epoch: epoch, random: random)
        guard self.text == text else { return nil }
    }

    var text: String { "\(epoch)-\(Hex.encode(random))" }
}
