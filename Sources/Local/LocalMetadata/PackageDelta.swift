/// A package's changes not in the log yet.
package struct PackageDelta: Sendable {
    /// Items with changes to append, parents before their children.
    package var items: [LocalItem] = []
    package var departures: [Departure] = []
    /// Whether a part of a save may be missing: a recently changed item in it, one being written, or one not in the
    /// cloud yet.
    package var isUnderway = false
    /// The approximate size of the changes in the log.
    package var bytes = 0
}
