/// Extended attributes stored on items by the engine itself, besides those of programs. They sync and merge by name
/// like any other, but the mount neither shows nor accepts them: attributes of programs begin with `user.`.
package enum ReservedAttribute {
    private static let prefix = "ubiquity."

    /// Returns the attribute of a container's root declaring folders with this extension as packages.
    package static func packageType(_ pathExtension: String) -> String { packageTypePrefix + pathExtension }

    package static let packageTypePrefix = prefix + "package-type."

    /// The attribute of a package that is a conflict version.
    package static let conflict = prefix + "conflict"

    /// The attribute with the first bytes of a file's content.
    package static let head = prefix + "head"

    /// The attribute of a file that a device has edited without having uploaded the bytes yet: the digest of the
    /// replaced content. Void once the file has different content.
    package static let announcedEdit = prefix + "announced-edit"

    /// The attribute of a container's root for case-insensitive comparison of the container's names.
    package static let foldsNames = prefix + "folds-names"

    package static func contains(_ name: String) -> Bool { name.hasPrefix(prefix) }
}
