import Basics
package import CloudModel

/// The mark on a package that one of two devices kept beside the package that it lost to: the document of which it is a version in
/// conflict. It is stored in ``ReservedAttribute/conflict`` of the package's folder, so it syncs, and removing it resolves the conflict.
package struct PackageConflict: Sendable, Equatable {
    /// The package that shows the other version.
    package let document: ItemID
    /// The name of the device that made this one.
    package let device: String

    package init(document: ItemID, device: String) {
        self.document = document
        self.device = device
    }

    /// Decodes the mark; nil for other bytes, as other devices write the attribute.
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

    /// The document of which the item is a version in conflict, and the version: for a file the log's, for a package one derived from its
    /// id.
    package var conflictPlace: ConflictPlace? {
        if let conflict { return conflict }
        guard let document = packageConflict?.document else { return nil }
        // Short enough to be typed. Versions are only compared with others of one document.
        return ConflictPlace(
            document: document, version: VersionID(sequence: LogSequence(item.low >> 24), index: 0))
    }
}
