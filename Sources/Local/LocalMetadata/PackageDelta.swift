/// The changes of a package that are not in the log yet.
package struct PackageDelta: Sendable {
    /// Items with changes to append, parents before their children.
    package var items: [LocalItem] = []
    package var departures: [Departure] = []
    /// Whether a part of a save may be missing: an item in it changed a moment ago, is being written, or is not in the cloud yet.
    package var isUnderway = false
    /// The approximate size of the changes in the log.
    package var bytes = 0
}
