/// The tree of items as it is now. The arbiter reads only the items above a new claim, presenter or change, and keeps nothing about items
/// that it does not hold.
package protocol ItemTree {
    /// Returns the entry of an item; nil if there is no such item.
    func entry(of item: ItemNumber) -> TreeEntry?
    /// Returns the item that has that name now; nil if there is none.
    func item(at place: ItemPlace) -> ItemNumber?
}
