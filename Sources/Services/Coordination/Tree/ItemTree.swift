/// The tree of items as it is now. Asked only for what stands above a new claim, presenter or change; the arbiter keeps nothing
/// of what it does not hold.
package protocol ItemTree {
    /// Nil if there is no such item.
    func entry(of item: ItemNumber) -> TreeEntry?
    /// What has that name now; nil if nothing has.
    func item(at place: ItemPlace) -> ItemNumber?
}
