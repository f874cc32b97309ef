/// How much of a file's bytes is on this device.
package enum Presence: UInt8, Sendable {
    case none = 0
    /// Some chunks are; ``LocalItem/ranges`` says which ones.
    case partial = 1
    case whole = 2
}
