/// What a claim or a presenter is about: an item, or a name that nothing has yet.
package enum ItemKey: Hashable, Sendable, CustomStringConvertible {
    case item(ItemNumber)
    case vacant(ItemPlace)

    package var description: String {
        switch self {
        case .item(let item): item.description
        case .vacant(let place): place.description
        }
    }
}
