/// Whether an item stays on this device, and what decides about that; the raw value is stored.
package enum Exclusion: UInt8, Sendable {
    /// It is synced.
    case none
    /// It stays here because of its name, its kind or its folder.
    case own
    /// It stays here because a pattern of an ignore file matches it, or a folder of the log that it is in. It is synced when no pattern
    /// matches any more.
    case byPattern
    /// It stays here because a person wants that, under each name and in each folder.
    case byAttribute
}
