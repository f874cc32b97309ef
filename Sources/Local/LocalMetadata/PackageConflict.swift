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
