/// An imminent disk call of a store.
package enum ContentCall: Sendable {
    /// A blob gets a name: it is created, renamed or linked.
    case name
    case remove
    case setTime
    case sync
}
