/// Why a key was not written.
package enum KeyValueRefusal: Error, Equatable {
    /// The key is empty, or longer than allowed.
    case key
    /// The store has no room for the value.
    case quota
}
