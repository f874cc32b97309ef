/// The current tree of items. The arbiter reads only the items above a new claim, presenter or change, and keeps
/// nothing about items it does not hold.
package protocol ItemTree {
    /// Returns the entry of an item; nil if there is no such item.
    func entry(of item: ItemNumber) -> TreeEntry?
    /// Returns the current item at a place; nil if there is none.
    func item(at place: ItemPlace) -> ItemNumber?
}
