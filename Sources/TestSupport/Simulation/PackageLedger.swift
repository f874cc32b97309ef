import CloudModel

/// The contents given to packages by users: regardless of sync's work on the packages, no device may show any different
/// combination.
struct PackageLedger {
    /// The contents of packages after a user changed them, or after a device recovered its own.
    private var made: Set<[String: String]> = [[:]]
    /// The items last shown by each device, with each item's outermost package.
    private var shown: [Int: (items: Set<ItemID>, homes: [ItemID: ItemID])] = [:]
    /// Whether an item moved into a package or out of one, or a folder became a package: a device that does not know
    /// yet works in a folder, which merges file by file. Also set when a package was deleted: items then created in it
    /// do not change a package in the log. Also set when a package has two names equal without case: if they were
    /// created before the device knew that the container ignores it, the log gives one of them a number.
    private var hasMoved = false

    /// Records that a state or the cloud went back, so parts of packages may be kept separately.
    mutating func noteReturn() { hasMoved = true }

    /// Records a device's visible state after its user acted.
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
