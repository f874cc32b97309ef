/// Identifies a request to ``TransferSlots``.
package struct TransferTicket: Hashable, Sendable {
    let number: UInt64
}
