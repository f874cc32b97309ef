import CloudModel

/// What packages have looked like by the hands of those who work in them: whatever sync makes of it, nobody is shown another mix.
struct PackageLedger {
    /// What was in a package after somebody changed it, or a device found again what it had.
    private var made: Set<[String: String]> = [[:]]
    /// What each device showed last.
    private var shown: [Int: (items: Set<ItemID>, homes: [ItemID: ItemID])] = [:]
    /// Something went into a package or out of one, or a folder became one: whoever has not heard of that yet works in a folder, which merges
    /// file by file. Or one was deleted: what is made in it then is no change of a package that the log has.
    private var hasMoved = false

    /// A device after its user did something.
    mutating func note(_ snapshot: Snapshot, on device: Int) {
        if let before = shown[device] {
            let moved = snapshot.items.contains { before.items.contains($0) && before.homes[$0] != snapshot.homes[$0] }
            let isGone = before.homes.contains { $0.key == $0.value && !snapshot.items.contains($0.key) }
            hasMoved = hasMoved || moved || isGone
        }
        shown[device] = (snapshot.items, snapshot.homes)
        made.formUnion(snapshot.packages.values)
    }

    /// What is wrong on a device after a step of its sync.
    mutating func problems(_ snapshot: Snapshot, on device: Int) -> [String] {
        shown[device] = (snapshot.items, snapshot.homes)
        guard !hasMoved else { return [] }
        return snapshot.packages.filter { !made.contains($0.value) }.map {
            "package \($0.key) is a mix that nobody made: \($0.value.sorted { $0.key < $1.key })"
        }.sorted()
    }
}
