import Basics
package import CloudModel

/// What a package says of itself that one of two devices kept beside what it lost to: whose version in conflict it is. It stands in
/// ``ReservedAttribute/conflict`` of the package's folder, so it syncs, and is resolved by being removed.
package struct PackageConflict: Sendable, Equatable {
    /// The package that shows the other version.
    package let document: ItemID
    /// The name of the device that made this one.
    package let device: String

    package init(document: ItemID, device: String) {
        self.document = document
        self.device = device
    }

    /// Nil for what is none: other devices write it.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        do throws(ByteCodingError) {
            document = ItemID(high: try reader.fixed(), low: try reader.fixed())
            device = try reader.string()
            try reader.expectEnd()
        } catch { return nil }
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(fixed: document.high)
        writer.append(fixed: document.low)
        writer.append(string: device)
        return writer.bytes
    }
}

extension LocalItem {
    package var packageConflict: PackageConflict? {
        get {
            guard kind == .folder, !attributes.extended.isEmpty else { return nil }
            return attributes.extended[ReservedAttribute.conflict].flatMap { PackageConflict($0) }
        }
        set { attributes.extended[ReservedAttribute.conflict] = newValue?.bytes }
    }

    /// The document that it is a version in conflict of, and which one: of a file the log's, of a package one that follows from its id.
    package var conflictPlace: ConflictPlace? {
        if let conflict { return conflict }
        guard let document = packageConflict?.document else { return nil }
        // Short enough to be typed. Versions are only compared with others of one document.
        return ConflictPlace(
            document: document, version: VersionID(sequence: LogSequence(item.low >> 24), index: 0))
    }
}

extension MetadataTransaction {
    /// The packages that say that they are versions in conflict, whether or not their documents are there.
    package func packageConflicts() throws -> [LocalItem] {
        try fetchAll(
            "SELECT \(LocalItem.selection) FROM local WHERE \(Self.isPackageConflict) ORDER BY node LIMIT 10000"
        )
        .filter { $0.packageConflict != nil }
    }

    /// The versions in conflict of a document, file or package, in an order of their own.
    package func conflicts(of document: LocalItem) throws -> [LocalItem] {
        guard document.kind == .folder else { return try siblings(of: document.item, in: document.container) }
        guard document.isPackage else { return [] }
        return try packageConflicts().filter {
            $0.container == document.container && $0.packageConflict?.document == document.item
                && $0.item != document.item
        }
    }

    /// The document that an item is a version in conflict of; nil for what is none, or whose document is gone.
    package func document(ofVersion item: LocalItem) throws -> LocalItem? {
        guard let place = item.conflictPlace, let document = try self.item(place.document, in: item.container) else {
            return nil
        }
        return item.conflict != nil || document.isPackage && document.item != item.item ? document : nil
    }

    /// As the index `local_packageConflict` has it: SQLite takes it for the same words alone.
    static let isPackageConflict = "kind = 0 AND instr(extended, x'\(name)') > 0"
    private static let name = ReservedAttribute.conflict.utf8.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
}
