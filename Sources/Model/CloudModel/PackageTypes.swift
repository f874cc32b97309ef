/// Determines the folders of a container that are documents themselves, by their extension: either built in, or
/// declared in the container's log. A device's settings have no influence: two devices with different lists would fold
/// the same log into two trees.
package struct PackageTypes: Hashable, Sendable {
    /// The built-in extensions, valid in every container.
    package static let extensions: Set<String> = [
        "app", "bundle", "pages", "key", "numbers", "sparsebundle", "rtfd", "textbundle", "xcodeproj", "ulysses",
    ]

    /// The most extensions declared by a container.
    package static let maximumCount = 256
    private static let maximumBytes = 64

    /// In lower case.
    package private(set) var declared: Set<String>

    package init(declared: Set<String> = []) { self.declared = declared }

    /// - Parameter root: The attributes of a container's root.
    package init(declaredBy root: ItemAttributes) { self.init(extended: root.extended) }

    package init(extended: [String: [UInt8]]) {
        declared = []
        guard !extended.isEmpty else { return }
        for name in extended.keys where name.hasPrefix(ReservedAttribute.packageTypePrefix) {
            let type = String(name.dropFirst(ReservedAttribute.packageTypePrefix.count))
            if Self.isValid(type) { declared.insert(type) }
        }
    }

    package mutating func formUnion(_ other: PackageTypes) { declared.formUnion(other.declared) }

    /// Whether a folder with this name is a package; the extension is compared without regard to ASCII case.
    package func isPackage(_ name: ItemName) -> Bool {
        let ending = name.stemAndExtension.extension
        guard !ending.isEmpty else { return false }
        let type = String(decoding: ending.dropFirst(), as: UTF8.self).lowercased()
        return Self.extensions.contains(type) || declared.contains(type)
    }

    /// Whether a folder with this name is a package in every container.
    package static func isPackage(_ name: ItemName) -> Bool { PackageTypes().isPackage(name) }

    /// Whether an extension can be declared: lower-case ASCII letters, digits, `-` and `_`, at most 64.
    package static func isValid(_ pathExtension: String) -> Bool {
        (1...maximumBytes).contains(pathExtension.utf8.count)
            && pathExtension.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
