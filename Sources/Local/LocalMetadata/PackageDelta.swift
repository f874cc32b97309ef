/// The changes of a package that are not in the log yet.
package struct PackageDelta: Sendable {
    /// Items with changes to append, parents before what is inside them.
    package var items: [LocalItem] = []
    package var departures: [Departure] = []
    /// Half of a save may be missing: something in it changed a moment ago, is being written, or has not reached the cloud.
    package var isUnderway = false
    /// Roughly its size in the log.
    package var bytes = 0
}
