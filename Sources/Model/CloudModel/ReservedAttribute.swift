/// Extended attributes that the engine itself stores on items, besides those of programs. They sync and merge by name like any other, but
/// the mount neither shows nor accepts them: attributes of programs begin with `user.`.
package enum ReservedAttribute {
    private static let prefix = "ubiquity."

    /// Returns the attribute of a container's root that declares folders with this extension to be packages.
    package static func packageType(_ pathExtension: String) -> String { packageTypePrefix + pathExtension }

    package static let packageTypePrefix = prefix + "package-type."

    /// The attribute of a package that is a version in conflict of another one.
    package static let conflict = prefix + "conflict"

    /// The attribute of a file that has the first bytes of its content.
    package static let head = prefix + "head"

    /// The attribute of a container's root that says that the container's names are compared without case.
    package static let foldsNames = prefix + "folds-names"

    package static func contains(_ name: String) -> Bool { name.hasPrefix(prefix) }
}
