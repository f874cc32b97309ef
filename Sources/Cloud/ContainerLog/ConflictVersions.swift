import CloudModel

/// The conflict versions of one file by digest, sorted by version id. Removing takes constant time, and so does
/// inserting at the end.
struct ConflictVersions {
    /// Sorted by id; nil for removed versions.
    private var slots: [ConflictVersion?]
    private var ids: [VersionID]
    private var places: [Digest: Int] = [:]
    /// The number of changes so far.
    private(set) var changes = 0

    /// - Parameter versions: Sorted by id, with distinct digests.
    init(_ versions: [ConflictVersion]) {
        slots = versions
        ids = versions.map(\.version)
        guard !versions.isEmpty else { return }
        places.reserveCapacity(versions.count)
        for (place, version) in versions.enumerated() where version.digest != nil {
            version.digest.map { places[$0] = place }
        }
    }

    var sorted: [ConflictVersion] { slots.compactMap { $0 } }

    subscript(digest: Digest) -> ConflictVersion? { places[digest].flatMap { slots[$0] } }

    /// Returns the contents of a version: exactly one, in every log written by a device.
    func digests(of id: VersionID) -> [Digest] {
        var place = ids.partitioningIndex { $0 >= id }
        var found: [Digest] = []
        while place < ids.count, ids[place] == id {
            if let digest = slots[place]?.digest { found.append(digest) }
            place += 1
        }
        return found
    }

    /// - Returns: Whether it existed.
    @discardableResult
    mutating func remove(_ digest: Digest) -> Bool {
        guard let place = places.removeValue(forKey: digest) else { return false }
        slots[place] = nil
        changes += 1
        return true
    }

    /// Inserts a version after those with the same id. Any later versions are moved: they arrived after the inserted
    /// content became current, so each is moved only once.
    mutating func insert(_ version: ConflictVersion, _ digest: Digest) {
        var place = ids.count
        while place > 0, ids[place - 1] > version.version { place -= 1 }
        slots.insert(version, at: place)
        ids.insert(version.version, at: place)
        for moved in place..<slots.count { slots[moved]?.digest.map { places[$0] = moved } }
        changes += 1
    }
}

extension Array {
    /// Returns the index of the first element satisfying the predicate. No element before it does, and all after it do.
    fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
