/// How much of a file's content is on this device.
package enum Presence: UInt8, Sendable {
    case none = 0
    /// Some chunks are, listed in ``LocalItem/ranges``.
    case partial = 1
    case whole = 2
}
