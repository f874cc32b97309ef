/// How urgent a transfer is.
package enum TransferPriority: UInt8, CaseIterable, Comparable, Sendable {
    /// A reader waits for exactly these bytes.
    case demand = 0
    /// A sequential reader will need these bytes next.
    case readAhead = 1
    /// No reader waits.
    case background = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
