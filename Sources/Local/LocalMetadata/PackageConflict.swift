import Basics
package import CloudModel

/// The mark on a package kept by a device beside the package it lost to: the document of which it is a conflict
/// version. It is stored in ``ReservedAttribute/conflict`` of the package's folder, so it syncs, and removing it
/// resolves the conflict.
package struct PackageConflict: Sendable, Equatable {
    /// The package with the other version.
    package let document: ItemID
    /// The name of this version's author device.
    package let device: String

    package init(document: ItemID, device: String) {
        self.document = document
        self.device = device
    }

    /// Decodes the mark; nil for other bytes, as foreign devices write the attribute.
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

    /// The document of which the item is a conflict version, and the version: the log's for a file, derived from its id
    /// for a package.
    package var conflictPlace: ConflictPlace? {
        if let conflict { return conflict }
        guard let document = packageConflict?.document else { return nil }
        // Short enough to be typed. Versions are only compared within a document.
        return ConflictPlace(
            document: document, version: VersionID(sequence: LogSequence(item.low >> 24), index: 0))
    }
}
