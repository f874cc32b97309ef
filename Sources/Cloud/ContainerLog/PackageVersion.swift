import Basics
package import CloudModel

/// A package in the version known to a change's author. Its folder has the version of the last batch that changed its
/// contents.
package struct PackageVersion: Hashable, Sendable {
    package let package: ItemID
    package let version: VersionID

    package init(_ package: ItemID, _ version: VersionID) {
        self.package = package
        self.version = version
    }
}

extension TreeStore {
    /// Returns the packages of this tree in which these changes alter files or their contents, sorted by id.
    package func packages(changedBy changes: [Change]) throws -> [PackageVersion] {
        var folders: Set<ItemID> = []
        for change in changes { try folders.formUnion(self.folders(changedBy: change)) }
        var found: [ItemID: VersionID] = [:]
        for folder in folders {
            for package in try packages(around: folder) { found[package.id] = package.version }
        }
        return found.sorted { $0.key < $1.key }.map { PackageVersion($0.key, $0.value) }
    }

    /// Returns the folders in which a change alters the set of files, their bytes or their names. Attributes do not
    /// count, nor do the unchanged contents of a moved folder.
    package func folders(changedBy change: Change) throws -> [ItemID] {
        switch change {
        case .create(_, let parent, _, _, _): [parent]
        case .edit(let id, _, _, _), .delete(let id, _): try standing(for: id).map { [$0.parent] } ?? []
        case .move(let id, let parent, _): try (standing(for: id).map { [$0.parent] } ?? []) + [parent]
        case .setAttributes, .resolve, .setValue, .collection, .raiseRules: []
        }
    }

    /// Returns the live packages containing a folder, itself included, innermost first.
    package func packages(around folder: ItemID) throws -> [CloudItem] {
        var found: [CloudItem] = []
        var next = try standing(for: folder)
        let types = try packageTypes()
        // Corrupt rows may form a cycle; no path has more folders.
        for _ in 0..<4096 {
            guard let item = next, item.id != .root else { break }
            if item.body == .folder, !item.isDeleted, types.isPackage(item.name) { found.append(item) }
            next = try standing(for: item.parent)
        }
        return found
    }

    /// Returns the item for this id, including tombstones. A live item is never an alias, which saves most lookups the
    /// second read. Aliases only lead from a removed item to one live at that time, so they form no cycles.
    package func standing(for id: ItemID) throws -> CloudItem? {
        var target = id
        while true {
            let item = try item(target)
            if let item, !item.isDeleted { return item }
            guard let next = try alias(of: target) else { return item }
            target = next
        }
    }
}

// MARK: Encoding

extension ByteWriter {
    mutating func append(_ packages: [PackageVersion]) {
        append(varint: UInt64(packages.count))
        for known in packages {
            append(known.package)
            append(known.version)
        }
    }
}

extension ByteReader {
    mutating func packageVersions() throws(ByteCodingError) -> [PackageVersion] {
        var packages: [PackageVersion] = []
        for _ in 0..<(try count(minimumBytes: 18)) {
            let known = PackageVersion(try itemID(), try version())
            // A batch has a unique encoding.
            if let last = packages.last, last.package >= known.package { throw .invalid("unsorted packages") }
            packages.append(known)
        }
        guard packages.count <= ChangeBatch.maximumPackages else { throw .invalid("\(packages.count) packages") }
        return packages
    }
}
