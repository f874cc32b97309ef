/// Why a key was not written.
package enum KeyValueRefusal: Error, Equatable {
    /// It is empty, or has more bytes than a key may.
    case key
    /// The store has no room.
    case quota
}
