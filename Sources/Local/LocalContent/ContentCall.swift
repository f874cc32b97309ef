/// A call that a store is about to make to the disk.
package enum ContentCall: Sendable {
    /// A blob gets a name: it is made, renamed or linked.
    case name
    case remove
    case setTime
    case sync
}
