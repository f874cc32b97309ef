/// How soon a transfer is wanted.
package enum TransferPriority: UInt8, CaseIterable, Comparable, Sendable {
    /// A reader waits for exactly these bytes.
    case demand = 0
    /// A sequential reader will want them next.
    case readAhead = 1
    /// No reader waits.
    case background = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
