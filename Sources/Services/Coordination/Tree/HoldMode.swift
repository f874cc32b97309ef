/// An access's effect on other accesses at an item.
struct HoldMode: Sendable {
    enum Mode: Sendable {
        /// Marks the place of a claim; no claim waits for it.
        case passive
        case reading, writing
    }

    let claim: ClaimID
    let order: UInt64
    let client: ClientID
    let purpose: Purpose
    let mode: Mode
    /// Whether the hold covers everything below the item as well.
    let coversBelow: Bool

    init(_ access: Access, of claim: Claim, isPassive: Bool = false) {
        self.claim = claim.id
        order = claim.order
        client = claim.request.client
        purpose = claim.request.purpose
        mode = isPassive || access.isImmediate ? .passive : access.isReading ? .reading : .writing
        coversBelow = !isPassive && access.coversBelow
    }

    /// Returns whether both may not be held simultaneously, if they meet at an item.
    func conflicts(with other: HoldMode) -> Bool {
        guard mode == .writing || other.mode == .writing, mode != .passive, other.mode != .passive else { return false }
        guard claim != other.claim, purpose != other.purpose else { return false }
        // A program's own open inside its accessor must not wait for that accessor.
        return !((purpose.isPlain || other.purpose.isPlain) && client == other.client)
    }
}
