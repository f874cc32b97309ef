/// Whether an item stays on this device, and why; the raw value is stored.
package enum Exclusion: UInt8, Sendable {
    /// It is synced.
    case none
    /// It stays local because of its name, its kind or its folder.
    case own
    /// It stays local because a pattern of an ignore file matches it, or a folder of the log around it. It is synced
    /// when no pattern matches any longer.
    case byPattern
    /// It stays local at the user's request, under each name and in each folder.
    case byAttribute
}
