/// The items to keep on this device (the content policies of semantics: inherit, lazily, evict on update, keep).
package enum PinState: UInt8, Sendable, CaseIterable {
    case inherited = 0
    case lazy = 1
    case evictOnUpdate = 2
    case keep = 3
    /// Downloaded while there is plenty of space, and evicted again when it is short.
    case whenSpace = 4
}
