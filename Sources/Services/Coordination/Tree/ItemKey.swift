/// The target of a claim or a presenter: an item, or a name without an item.
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
