import CloudModel

/// The contents that users gave to packages: whatever sync does with the packages, no device may show any other combination.
struct PackageLedger {
    /// The contents of packages after a user changed them, or after a device recovered its own.
    private var made: Set<[String: String]> = [[:]]
    /// The items that each device showed last, with the outermost package of each.
    private var shown: [Int: (items: Set<ItemID>, homes: [ItemID: ItemID])] = [:]
    /// Whether an item moved into a package or out of one, or a folder became a package: a device that does not know yet works in a folder,
    /// which merges file by file. Also set when a package was deleted: what is then created in it does not change a package that the log
    /// has. Also set when a package has two names that are equal without case: where they were made before the device knew that the
    /// container ignores it, the log gives one of them a number.
    private var hasMoved = false

    /// Records that a state or the cloud went back, so that parts of packages may be kept one by one.
    mutating func noteReturn() { hasMoved = true }

    /// Records what a device shows after its user acted.
    mutating func note(_ snapshot: Snapshot, on device: Int) {
        if let before = shown[device] {
            let moved = snapshot.items.contains { before.items.contains($0) && before.homes[$0] != snapshot.homes[$0] }
            let isGone = before.homes.contains { $0.key == $0.value && !snapshot.items.contains($0.key) }
            hasMoved = hasMoved || moved || isGone
        }
        hasMoved = hasMoved || snapshot.hasEqualNames
        shown[device] = (snapshot.items, snapshot.homes)
        made.formUnion(snapshot.packages.values)
    }

    /// Returns the problems on a device after a step of its sync.
    mutating func problems(_ snapshot: Snapshot, on device: Int) -> [String] {
        shown[device] = (snapshot.items, snapshot.homes)
        guard !hasMoved else { return [] }
        return snapshot.packages.filter { !made.contains($0.value) }.map {
            "package \($0.key) is a mix that no user made: \($0.value.sorted { $0.key < $1.key })"
        }.sorted()
    }
}
