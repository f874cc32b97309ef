/// Extended attributes that the engine itself keeps of items, beside those of programs. They sync and merge by name like any other, and the
/// mount neither shows nor takes them: what programs set begins with `user.`.
package enum ReservedAttribute {
    private static let prefix = "ubiquity."

    /// On the root of a container: folders with this extension are packages.
    package static func packageType(_ pathExtension: String) -> String { packageTypePrefix + pathExtension }

    package static let packageTypePrefix = prefix + "package-type."

    /// On a package: it is a version in conflict of another one.
    package static let conflict = prefix + "conflict"

    package static func contains(_ name: String) -> Bool { name.hasPrefix(prefix) }
}
